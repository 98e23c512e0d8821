"""Where a run's step is mended: it says what it is about, and begins the lesson (S6.14)."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from execution.exceptions import ExecutionError
from execution.lesson.begin_mending import begin_mending
from execution.models import Execution
from execution.permissions import VIEW
from sentences.said import in_words, worded
from workflows.permissions import DESIGN, permitted


@permitted(VIEW)
@permitted(DESIGN)
@require_http_methods(["GET", "HEAD", "POST"])
def mend(request: HttpRequest, execution_id: str, index: int) -> HttpResponse:
    """Begin a lesson on the step; with GET, say which it is."""
    execution = Execution.objects.by_id(execution_id)
    problem, status = "", 200
    if request.method == "POST":
        try:
            return redirect("teach", begin_mending(execution, index, user=request.user).lesson_id)
        except ExecutionError as error:
            problem, status = worded(error), error.status_code
    step = execution.steps.filter(index=index).first()
    context = {
        "nav": "workflows",
        "execution": execution,
        "step": step,
        "why": in_words(execution.pause_detail.get("message") or "") or (worded(step.message) if step else ""),
        "problem": problem,
    }
    return render(request, "execution/teach_mend.html", context, status=status)
