"""The site: it builds without a warning, its links resolve, it has every public name and no
solution.
"""

import html
import json
import pkgutil
import re
import runpy
import struct
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

import npformer as npf
from npformer_course import course
from npformer_course.percent_format import BEGIN, END

pytestmark = pytest.mark.docs
ROOT = Path(npf.__file__).parents[1]
SITE = "https://npformer.example/"


def test_sidebar_follows_the_course(site):
    first = (site / "index.html").read_text(encoding="utf-8")
    tree = first.partition('<div class="sidebar-tree">')[2].partition("</aside>")[0]
    shown = re.findall(
        r'class="caption-text">(.*?)<|class="toctree-l1[^"]*"><a[^>]*>(.*?)</a>', tree
    )
    names = [caption or link for caption, link in shown]
    assert names.index("Part IV: Understand it") < 10
    assert names.index("How to") < 15 and names.index("API") < 40
    for id in course.EXERCISES:
        assert f'href="exercises/{course.stem(id)}.html"' in tree
    for path in ROOT.glob("notebooks/[0-9]*.ipynb"):
        assert f'href="notebooks/{path.stem}.html"' in tree


def test_notebooks_exercises_and_layers_have_buttons(site):
    expected = {
        "notebooks/02_attention_by_hand.html": "Run here, Exercises, Source, Debugger",
        "notebooks/29_why_self_attention.html": "Run here",
        "notebooks/32b_importing_a_model.html": "",
        "exercises/06_layer_norm.html": "Run here, Notebook 06, Figure 1: Add &amp; Norm",
        "exercises/19_beam.html": "Run here, Notebook 19",
        "api/npformer.layers.html": "Formula, NumPy, PyTorch, Source, Notebook 03, Exercise, Debugger",
        "reference/layers.html": "API, Source, Notebook 05, Exercise, Debugger",
    }
    for name, buttons in expected.items():
        text = (site / name).read_text(encoding="utf-8")
        row = text.partition('<span class="page-buttons">')[2].partition("</span>")[0]
        assert ", ".join(re.findall(r">([^<]+)</a>", row)) == buttons, name
    for name in ("reference/layers.html", "api/npformer.layers.html"):
        assert (site / name).read_text(encoding="utf-8").count('class="page-buttons"') == 10


def test_links_and_pictures_resolve(pages):
    broken = []
    for path, page in pages.items():
        for link in page.links:
            address = urlsplit(link)
            if address.scheme or address.netloc:
                continue
            if "/lite/" in address.path:
                continue  # what the browser runs is written afterwards
            target = (path.parent / unquote(address.path)).resolve() if address.path else path
            has_ids = target in pages and target.name != "step.html"  # a script reads its fragment
            known = pages[target].ids | {"", "top"} if has_ids else {unquote(address.fragment)}
            if not target.is_file() or unquote(address.fragment) not in known:
                broken.append(f"{path.name}: {link}")
    assert not broken


def test_names_of_files_lead_to_their_source(site):
    text = (site / "notebooks/15b_pre_and_post_norm.html").read_text(encoding="utf-8")
    file = "npformer/layers/add_norm"
    assert re.search(
        rf'href="../_modules/{file}.html"><code[^>]*><span class="pre">{file}.py<', text
    )


def test_run_here_opens_a_notebook_that_is_there(pages, lite):
    links = [
        (path, link) for path, page in pages.items() for link in page.links if "/lite/" in link
    ]
    assert len(links) > 70
    for path, link in links:
        address = urlsplit(link)
        assert (path.parent / unquote(address.path)).resolve().is_file(), link
        notebook = parse_qs(address.query)["path"][0]
        folder, _, name = notebook.rpartition("/")
        listed = json.loads((lite / "api/contents" / folder / "all.json").read_text("utf-8"))
        assert name in {entry["name"] for entry in listed["content"]}, link
        [first, *_] = json.loads((lite / "files" / notebook).read_text("utf-8"))["cells"]
        assert "Python is starting" in first["source"]
        for target in re.findall(r"\]\(\.\./(.*?)\)", first["source"]):
            assert (lite / "files" / target).is_file(), target
    for name in ("tree/index.html", "lab/index.html"):
        [address] = re.findall(r'href="(.*?)"', (lite / name).read_text("utf-8"))
        assert (lite / name).parent.joinpath(address).resolve().is_file()


def test_site_loads_nothing_from_other_hosts(site):
    for path in site.rglob("*.html"):
        assert not re.search(
            r'<(script|img|iframe)[^>]* src="https?:|<link[^>]* href="https?:',
            path.read_text("utf-8"),
        )


def test_site_has_a_social_card_and_a_step_debugger(site):
    card = (site / "social_card.png").read_bytes()
    assert struct.unpack(">II", card[16:24]) == (1200, 630)
    first = (site / "index.html").read_text(encoding="utf-8")
    assert "og:image" not in first  # it needs the address of the site
    assert '<iframe class="step" src="step.html"' in first
    step = (site / "step.html").read_text(encoding="utf-8")
    assert "decoder.layers.1" in step
    for target in ("index.html", "notebooks/16_one_training_step.html"):
        assert step.count(f'<a href="{target}" target="_top">') == 1


def test_first_page_has_two_buttons_and_a_translator_that_the_site_brings(pages, site):
    first = (site / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'<p class="buttons">(.*)</p>', first) == [
        '<a href="step.html">Step through it</a><a href="notebooks/README.html">Start the course</a>'
    ]
    assert "_static/live_translation.js" in pages[site / "index.html"].links
    for name in ("translator.js", "live_translation.js", "front_page.css"):
        assert (site / "_static" / name).is_file()
    weights = (site / "phrasebook" / "weights.safetensors").read_bytes()
    assert len(weights) == 1_155_032
    for theme in ("light", "dark"):
        assert len(re.findall(rf'<img [^>]*class="only-{theme}', first)) == 1


def test_figure_1_has_a_list_of_links_for_each_box(pages, site):
    page = pages[site / "figure_1.html"]
    boxes = {link for link in page.links if link.startswith("#box-")}
    assert len(boxes) == 9 and {link[1:] for link in boxes} <= page.ids


def test_llms_txt_lists_existing_pages(site):
    links = re.findall(r"\]\((.*?)\)", (site / "llms.txt").read_text(encoding="utf-8"))
    assert "index.html" in links and all((site / link).is_file() for link in links)


def squeeze(text):
    return re.sub(r"\s+", "", text)


def test_site_contains_no_solution(site):
    texts = {}
    for path in (
        path for path in site.rglob("*") if path.suffix in (".html", ".js", ".txt", ".svg")
    ):
        texts[path] = squeeze(
            html.unescape(re.sub(r"<[^>]+>", "", path.read_text(encoding="utf-8")))
        )
    for id in course.EXERCISES:
        exercise = course.load(id)
        own = texts[site / "exercises" / f"{course.stem(id)}.html"]
        stub = squeeze(exercise.stub)
        assert "raiseNotImplementedError" in own
        solutions = re.findall(
            rf"{BEGIN}\n(.*?){END}", "\n".join(cell.text for cell in exercise.cells), re.DOTALL
        )
        for solution in solutions:
            for line in filter(None, map(squeeze, solution.splitlines())):
                assert line not in own or line in stub, f"{id}: {line}"
            if solution.strip().count("\n"):  # a single line may also be in a notebook
                assert not [path for path, text in texts.items() if squeeze(solution) in text], id


def test_api_links_to_the_source_and_to_the_notebooks_that_use_a_name(pages, site):
    links = pages[site / "api/npformer.layers.html"].links
    assert "../_modules/npformer/layers/softmax.html#Softmax" in links
    text = (
        (site / "api/npformer.layers.html")
        .read_text(encoding="utf-8")
        .partition('id="npformer.layers.PreNorm"')[2]
    )
    assert re.search(
        r"In the notebooks: <a [^>]*15b_pre_and_post_norm.html",
        text.partition('id="npformer.layers.')[0],
    )


def test_layers_of_figure_1_come_first_in_the_api(site):
    text = (site / "api/npformer.layers.html").read_text(encoding="utf-8")
    names = re.findall(r'<dt [^>]*id="npformer\.layers\.(\w+)"', text)
    assert sorted(names) == sorted(npf.layers.__all__)
    assert names[:2] == ["ScaledDotProductAttention", "Softmax"]
    is_extra = [".extra." in getattr(npf.layers, name).__module__ for name in names]
    assert is_extra == sorted(is_extra)


def test_files_that_docstrings_name_are_links(pages):
    def links(name):
        [page] = [page for path, page in pages.items() if path.as_posix().endswith(name)]
        return page.links

    api = links("/api/npformer.layers.html")
    assert "npformer.slow_formulas.html#module-npformer.slow_formulas" in api
    assert "../_modules/npformer/layers/attention.html" in api
    assert "../_modules/npformer/slow_formulas.html#softmax" in links(
        "/api/npformer.slow_formulas.html"
    )
    assert "softmax.html" in links("/_modules/npformer/layers/attention.html")
    assert "../models/transformer.html" in links("/_modules/npformer/layers/generator.html")


def test_every_public_name_is_in_the_api(pages):
    ids = {id for path, page in pages.items() if path.parent.name == "api" for id in page.ids}
    names = [
        "npformer",
        *(m.name for m in pkgutil.walk_packages(npf.__path__, "npformer.") if m.ispkg),
    ]
    packages = [
        import_module(name) for name in names if not re.match(r"npformer\.(cli|utils)", name)
    ]
    for package in packages:
        for name in getattr(package, "__all__", ()):
            same = [
                other for other in packages if getattr(other, name, None) is getattr(package, name)
            ]
            assert ids & {f"{other.__name__}.{name}" for other in same}, (
                f"{package.__name__}.{name}"
            )


def own_pages(site):
    """Return the pages without those that a test or tools/browser_course.py writes afterwards."""
    return [
        path
        for path in site.rglob("*.html")
        if path.relative_to(site).parts[0] not in ("lite", "attention.html")
    ]


def test_formulas_are_there_without_a_script(site):
    for path in own_pages(site):
        text = path.read_text(encoding="utf-8")
        assert "tex-svg" not in text and "MathJax" not in text, path
        formulas = re.findall(
            r'<(?:span|div) class="math notranslate"[^>]*>(.*?)</(?:span|div)>', text, re.DOTALL
        )
        assert all(formula.startswith("<math") for formula in formulas), path
        assert "`" not in "".join(formulas), path  # prose between two formulas
    exercise = (site / "exercises" / "06_layer_norm.html").read_text(encoding="utf-8")
    assert exercise.count("<math") > 10


@pytest.mark.parametrize(
    ("tex", "part"),
    [
        (r"\hat x_i", '<mover accent="true"><mi>x</mi>'),  # the i is not below the x
        (r"\underbrace{x_0}_{a}", "<munder><munder"),
        (r"\frac13", "<mfrac><mn>1</mn><mn>3</mn></mfrac>"),
        (r"\|x\|", '<mo stretchy="false">‖</mo>'),
        (r"\{x\}", '<mo stretchy="false">{</mo>'),
        (r"\begin{cases} 1 & a \\ 2 & b \end{cases}", '<mo rspace="0.17em">{</mo>'),
        (r"\text{max\_len}", "<mtext>max_len</mtext>"),
        (r"\big(x\big)", '<mo maxsize="1.2em" minsize="1.2em" symmetric="true">('),
    ],
)
def test_tex_is_translated(tex, part):
    pytest.importorskip("docutils", reason='needs pip install -e ".[docs]"')
    mathematics = runpy.run_path(str(ROOT / "tools" / "mathematics.py"))
    mathml = mathematics["to_mathml"](tex, as_block=True)
    assert part in re.sub(r"\s*\n\s*", "", mathml)


def test_unknown_tex_is_an_error():
    pytest.importorskip("docutils", reason='needs pip install -e ".[docs]"')
    mathematics = runpy.run_path(str(ROOT / "tools" / "mathematics.py"))
    with pytest.raises(mathematics["MathError"], match="unknown"):
        mathematics["to_mathml"](r"\unknown x")


def test_each_page_has_a_description_and_an_icon(site):
    descriptions = {}
    for path in own_pages(site):
        head = path.read_text(encoding="utf-8").partition("</head>")[0]
        found = re.findall(r'<meta name="description" content="([^"]+)"', head)
        assert len(found) == 1 and re.search(r'rel="(shortcut )?icon"', head), path
        if "_modules" not in path.parts:
            descriptions.setdefault(found[0], []).append(path.name)
    assert "\\" not in "".join(descriptions)  # TeX
    shared = [names for names in descriptions.values() if len(names) > 1]
    assert len(shared) <= 1  # two exercises begin with the same sentence


@pytest.mark.parametrize("address", ["", "https://host.example/npformer"])
def test_repository_is_linked_where_its_address_is_known(monkeypatch, address):
    pytest.importorskip("docutils", reason='needs pip install -e ".[docs]"')
    monkeypatch.setenv("REPOSITORY_URL", address)
    monkeypatch.syspath_prepend(ROOT / "tools")
    settings = runpy.run_path(str(ROOT / "docs" / "conf.py"))
    icons = settings.get("html_theme_options", {}).get("footer_icons", [])
    assert [icon["url"] for icon in icons] == [address][: bool(address)]
    app = SimpleNamespace(config=SimpleNamespace(repository=settings["repository"]))
    for name, linked in (("SUPPORT", bool(address)), ("SECURITY", False)):
        source = [(ROOT / f"{name}.md").read_text(encoding="utf-8")]
        import_module("site_pages").link_to_repository(app, name, source)
        assert (f"[Repository]({address})" in source[0]) == linked


def test_card_has_a_picture_where_the_address_of_the_site_is_known(monkeypatch):
    pytest.importorskip("docutils", reason='needs pip install -e ".[docs]"')
    monkeypatch.syspath_prepend(ROOT / "tools")
    describe = import_module("page_heads").describe
    for address, pictures in ((SITE, [f"{SITE}social_card.png"]), ("", [])):
        config = SimpleNamespace(html_baseurl=address)
        context = {"title": "<code>a</code> &amp; b"}
        describe(SimpleNamespace(config=config), "page", "page.html", context, None)
        tags = context["metatags"]
        assert '<meta property="og:title" content="a &amp; b">' in tags
        assert re.findall('"og:image" content="(.*?)"', tags) == pictures
