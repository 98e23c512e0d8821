"""The pages of runs and robots, and their pictures."""

from __future__ import annotations

from django.urls import path

from execution.pages.beside import pictures_beside
from execution.pages.corrections import (
    correction,
    correction_choose,
    correction_rule,
    correction_teach,
    corrections,
    corrections_merge,
)
from execution.pages.learning import (
    learning,
    learning_ask,
    learning_begin_anew,
    learning_promote,
    learning_take_back,
)
from execution.pages.live import live, run_film, run_pause_told, run_snapshot, run_stretch, run_told
from execution.pages.pictures import picture, picture_part, robot_frame, run_frame, run_pause_screen, run_screen
from execution.pages.replays import replay, replay_stop, replays
from execution.pages.robots import robot_maintenance, robot_tags, robots
from execution.pages.runs import runs
from execution.pages.scene import picture_scene
from execution.pages.start import start
from execution.pages.teach import mend, teach, teach_new
from execution.pages.texts import texts
from execution.pages.training import training
from execution.pages.training_jobs import training_again, training_export, training_file
from execution.pages.viewer.compare import run_compare
from execution.pages.viewer.export import run_export, step_export
from execution.pages.worklist_called import worklist_called
from execution.pages.worklist_files import worklist_add, worklist_results
from execution.pages.worklist_told import worklist_tell
from execution.pages.worklist_when import worklist_when, worklist_when_change
from execution.pages.worklists import lists, worklist, worklist_control, worklist_new, worklist_rows

urlpatterns = [
    path("", runs, name="runs"),
    path("runs/new", start, name="run_start"),
    path("lists", lists, name="lists"),
    path("lists/new", worklist_new, name="list_new"),
    path("lists/<str:worklist_id>", worklist, name="list"),
    path("lists/<str:worklist_id>/control", worklist_control, name="list_control"),
    path("lists/<str:worklist_id>/rows", worklist_rows, name="list_rows"),
    path("lists/<str:worklist_id>/add", worklist_add, name="list_add"),
    path("lists/<str:worklist_id>/when", worklist_when, name="list_when"),
    path("lists/<str:worklist_id>/when/tell", worklist_tell, name="list_tell"),
    path("lists/<str:worklist_id>/when/called", worklist_called, name="list_called"),
    path("lists/<str:worklist_id>/when/change", worklist_when_change, name="list_when_change"),
    path("lists/<str:worklist_id>/results.<str:kind>", worklist_results, name="list_results"),
    path("texts", texts, name="texts"),
    path("learning", learning, name="learning"),
    path("learning/workflows/<str:workflow_id>/promote", learning_promote, name="learning_promote"),
    path("learning/workflows/<str:workflow_id>/ask", learning_ask, name="learning_ask"),
    path("learning/changes/<int:pk>/take-back", learning_take_back, name="learning_take_back"),
    path("learning/drift/<int:pk>/begin-anew", learning_begin_anew, name="learning_begin_anew"),
    path("learning/corrections", corrections, name="corrections"),
    path("learning/corrections/merge", corrections_merge, name="corrections_merge"),
    path("learning/corrections/<int:number>", correction, name="correction"),
    path("learning/corrections/<int:number>/rule", correction_rule, name="correction_rule"),
    path("learning/corrections/<int:number>/teach", correction_teach, name="correction_teach"),
    path("learning/corrections/<int:number>/choose", correction_choose, name="correction_choose"),
    path("learning/replays", replays, name="replays"),
    path("learning/replays/<str:replay_id>", replay, name="replay"),
    path("learning/replays/<str:replay_id>/stop", replay_stop, name="replay_stop"),
    path("learning/training", training, name="training"),
    path("learning/training/export", training_export, name="training_export"),
    path("learning/training/again", training_again, name="training_again"),
    path("learning/training/files/<str:job_id>", training_file, name="training_file"),
    path("runs/<str:execution_id>", live, name="run"),
    path("runs/<str:execution_id>/snapshot", run_snapshot, name="run_snapshot"),
    path("runs/<str:execution_id>/film", run_film, name="run_film"),
    path("runs/<str:execution_id>/film/<int:number>", run_stretch, name="run_stretch"),
    path("runs/<str:execution_id>/steps/<int:index>", live, name="run_step"),
    path("runs/<str:execution_id>/steps/<int:index>/told", run_told, name="run_told"),
    path("runs/<str:execution_id>/pauses/<int:pause>", live, name="run_pause"),
    path("runs/<str:execution_id>/pauses/<int:pause>/told", run_pause_told, name="run_pause_told"),
    path("runs/<str:execution_id>/export", run_export, name="run_export"),
    path("runs/<str:execution_id>/steps/<int:index>/export", step_export, name="step_export"),
    path("runs/<str:execution_id>/compare", run_compare, name="run_compare"),
    path("runs/<str:execution_id>/frame", run_frame, name="run_frame"),
    path("runs/<str:execution_id>/steps/<int:index>/screen", run_screen, name="run_screen"),
    path("runs/<str:execution_id>/pauses/<int:pause>/screen", run_pause_screen, name="run_pause_screen"),
    path("pictures/<str:digest>.png", picture, name="picture"),
    path("pictures/<str:digest>/part", picture_part, name="picture_part"),
    path("pictures/<str:digest>/scene", picture_scene, name="picture_scene"),
    path("pictures/<str:taught>/beside/<str:seen>", pictures_beside, name="pictures_beside"),
    path("teach/new", teach_new, name="teach_new"),
    path("teach/mend/<str:execution_id>/<int:index>", mend, name="teach_mend"),
    path("teach/<str:lesson_id>", teach, name="teach"),
    path("robots", robots, name="robots"),
    path("robots/<path:name>/maintenance", robot_maintenance, name="robot_maintenance"),
    path("robots/<path:name>/tags", robot_tags, name="robot_tags"),
    path("robots/<path:name>/frame", robot_frame, name="robot_frame"),
]
