"""The nouns of the phrasebook: their gender in German, and what kind of thing they name."""

from __future__ import annotations

from typing import NamedTuple


class Noun(NamedTuple):
    """A German noun in the singular, its gender (m, f or n), its kind, and the English noun."""

    german: str
    gender: str
    kind: str
    english: str


_TABLE = """
Mann m adult man
Frau f adult woman
Lehrer m adult teacher
Arzt m adult doctor
Nachbar m adult neighbour
Junge m youth boy
Mädchen n youth girl
Kind n youth child
Bruder m kin brother
Schwester f kin sister
Freund m kin friend
Vater m kin father
Mutter f kin mother
Hund m animal dog
Vogel m animal bird
Katze f animal cat
Pferd n animal horse
Apfel m food apple
Kuchen m food cake
Birne f food pear
Ei n food egg
Käse m meal cheese
Suppe f meal soup
Brot n meal bread
Tee m drink tea
Kaffee m drink coffee
Milch f drink milk
Wasser n drink water
Brief m post letter
Postkarte f post postcard
Buch n book book
Mantel m clothes coat
Jacke f clothes jacket
Hemd n clothes shirt
Computer m device computer
Lampe f device lamp
Radio n device radio
Koffer m luggage suitcase
Tür f opening door
Fenster n opening window
Garten m outdoors garden
Park m outdoors park
Wald m outdoors forest
Stadt f outdoors city
Küche f indoors kitchen
Büro n indoors office
Haus n indoors house
Hotel n indoors hotel
"""

NOUNS = tuple(Noun(*line.split()) for line in _TABLE.strip().splitlines())
