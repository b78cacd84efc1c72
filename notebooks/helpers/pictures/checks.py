"""What gradient checks found: an error for each layer, against the tolerance."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib

from npformer.testing import GradientReport
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREY, ORANGE, main_color

LEAST = 1e-16  # an error of 0 has a bar too


def show_checks(reports: Mapping[str, GradientReport]) -> matplotlib.figure.Figure:
    """Draw the largest relative error of each report as a bar, and return the figure.

    A bar beyond the tolerance is orange, and says FAILS.

    Arguments:
        reports: what `npf.gradcheck` returned, by the names that the bars get
    """
    figure, ax = new_figure(width=7, height=0.6 + 0.42 * len(reports))
    for place, report in enumerate(reports.values()):
        error = max(report.largest_error, LEAST)
        color = main_color() if report.ok else ORANGE
        ax.barh(place, error - LEAST, left=LEAST, height=0.6, color=color)
        verdict = "passes" if report.ok else "FAILS"
        ax.annotate(f" {error:.0e} {verdict}", (error, place), va="center", fontsize=9)

    tolerance = max(report.tolerance for report in reports.values())
    ax.axvline(tolerance, color=GREY, linewidth=1)
    ax.set_yticks(range(len(reports)), reports)
    ax.invert_yaxis()
    ax.set(xscale="log", xlim=(LEAST, 1e6), xlabel="largest relative error; the line: tolerance")
    return figure
