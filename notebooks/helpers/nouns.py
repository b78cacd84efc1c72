"""The nouns of the phrasebook: their gender in German, and what kind of thing they name."""

from __future__ import annotations

from typing import NamedTuple


class Noun(NamedTuple):
    """A German noun in the singular, its gender (m, f or n) and its kind."""

    german: str
    gender: str
    kind: str


_TABLE = """
Mann m adult
Frau f adult
Lehrer m adult
Arzt m adult
Nachbar m adult
Junge m youth
Mädchen n youth
Kind n youth
Bruder m kin
Schwester f kin
Freund m kin
Vater m kin
Mutter f kin
Hund m animal
Vogel m animal
Katze f animal
Pferd n animal
Apfel m food
Kuchen m food
Birne f food
Ei n food
Käse m meal
Suppe f meal
Brot n meal
Tee m drink
Kaffee m drink
Milch f drink
Wasser n drink
Brief m post
Postkarte f post
Buch n book
Mantel m clothes
Jacke f clothes
Hemd n clothes
Computer m device
Lampe f device
Radio n device
Koffer m luggage
Tür f opening
Fenster n opening
Garten m outdoors
Park m outdoors
Wald m outdoors
Stadt f outdoors
Küche f indoors
Büro n indoors
Haus n indoors
Hotel n indoors
"""

NOUNS = tuple(Noun(*line.split()) for line in _TABLE.strip().splitlines())
