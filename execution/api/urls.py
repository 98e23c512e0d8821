"""The API's routes of runs, below `/api/`."""

from __future__ import annotations

from django.urls import path

from execution.api import assistant, learning, lessons, notices, schedules, webhooks, worklists
from execution.api import views as api

RUN = "executions/<str:execution_id>/"
LESSON = "lessons/<str:lesson_id>/"
LIST = "lists/<str:worklist_id>/"

urlpatterns = [
    path("executions/", api.ExecutionsView.as_view(), name="api_executions"),
    path(RUN, api.ExecutionView.as_view(), name="api_execution"),
    path(f"{RUN}waiting/", api.WaitingView.as_view(), name="api_execution_waiting"),
    path(f"{RUN}progress/", api.ProgressView.as_view(), name="api_execution_progress"),
    path(f"{RUN}coaching_stats/", api.CoachingStatsView.as_view(), name="api_execution_coaching_stats"),
    path(f"{RUN}capture_stats/", api.CaptureStatsView.as_view(), name="api_execution_capture_stats"),
    path(f"{RUN}steps/", api.StepsView.as_view(), name="api_execution_steps"),
    path(f"{RUN}steps/<int:index>/", api.StepView.as_view(), name="api_execution_step"),
    path(f"{RUN}steps/<int:index>/mark/", api.MarkView.as_view(), name="api_execution_mark"),
    path(f"{RUN}events/", api.EventsView.as_view(), name="api_execution_events"),
    path(f"{RUN}prompt/", api.PromptView.as_view(), name="api_execution_prompt"),
    path(f"{RUN}decide/", api.DecideView.as_view(), name="api_execution_decide"),
    path(f"{RUN}hold/", api.HoldView.as_view(), name="api_execution_hold"),
    path(f"{RUN}confirm/", api.ConfirmView.as_view(), name="api_execution_confirm"),
    path(f"{RUN}control/", api.ControlView.as_view(), name="api_execution_control"),
    path(f"{RUN}assistant/", assistant.ConversationView.as_view(), name="api_execution_assistant"),
    path(f"{RUN}assistant/new/", assistant.NewConversationView.as_view(), name="api_execution_assistant_new"),
    path(
        "workflows/<str:workflow_id>/coaching_stats/",
        api.WorkflowCoachingStatsView.as_view(),
        name="api_workflow_coaching_stats",
    ),
    path(f"{RUN}remember-dialog/", lessons.RememberDialogView.as_view(), name="api_execution_remember_dialog"),
    path("lists/", worklists.ListsView.as_view(), name="api_lists"),
    path(LIST, worklists.ListView.as_view(), name="api_list"),
    path(f"{LIST}control/", worklists.ListControlView.as_view(), name="api_list_control"),
    path(f"{LIST}rows/", worklists.RowsView.as_view(), name="api_list_rows"),
    path(f"{LIST}results/<str:kind>", worklists.ListResultsView.as_view(), name="api_list_results"),
    path(f"{LIST}rows/change/", worklists.ChangeRowsView.as_view(), name="api_list_change"),
    path(f"{LIST}rows/<int:number>/", worklists.RowView.as_view(), name="api_list_row"),
    path(f"{LIST}schedules/", schedules.SchedulesView.as_view(), name="api_list_schedules"),
    path(f"{LIST}schedules/<str:schedule_id>/", schedules.ScheduleView.as_view(), name="api_list_schedule"),
    path(f"{LIST}events/", worklists.ListEventsView.as_view(), name="api_list_events"),
    path(f"{LIST}webhooks/", webhooks.WebhooksView.as_view(), name="api_list_webhooks"),
    path(f"{LIST}webhooks/<str:hook_id>/", webhooks.WebhookView.as_view(), name="api_list_webhook"),
    path("webhooks/<str:hook_id>/", webhooks.WebhookCalledView.as_view(), name="api_webhook_called"),
    path("notices/rules/", notices.RulesView.as_view(), name="api_notice_rules"),
    path("notices/rules/<str:rule_id>/", notices.RuleView.as_view(), name="api_notice_rule"),
    path("notices/rules/<str:rule_id>/test/", notices.TryRuleView.as_view(), name="api_notice_rule_test"),
    path("notices/messages/", notices.MessagesView.as_view(), name="api_notice_messages"),
    path("notices/messages/<str:message_id>/try/", notices.TryMessageView.as_view(), name="api_notice_message_try"),
    path("lessons/", lessons.LessonsView.as_view(), name="api_lessons"),
    path(LESSON, lessons.LessonView.as_view(), name="api_lesson"),
    path(f"{LESSON}changes/", lessons.ChangesView.as_view(), name="api_lesson_changes"),
    path(f"{LESSON}end/", lessons.EndView.as_view(), name="api_lesson_end"),
    path(f"{LESSON}resume/", lessons.ResumeView.as_view(), name="api_lesson_resume"),
    path(f"{LESSON}publish/", lessons.PublishView.as_view(), name="api_lesson_publish"),
    path(f"{LESSON}workflow/", lessons.DraftWorkflowView.as_view(), name="api_lesson_workflow"),
    path(f"{LESSON}screens/<str:node_id>/", lessons.DraftScreenView.as_view(), name="api_lesson_screen"),
    path(f"{LESSON}steps/<int:index>/", lessons.DraftStepView.as_view(), name="api_lesson_step"),
    path(f"{LESSON}steps/<int:index>/remove/", lessons.RemoveStepView.as_view(), name="api_lesson_remove_step"),
    path(f"{LESSON}variables/<str:name>/", lessons.DraftVariableView.as_view(), name="api_lesson_variable"),
    path(
        f"{LESSON}variables/<str:name>/remove/",
        lessons.RemoveVariableView.as_view(),
        name="api_lesson_remove_variable",
    ),
    path("corrections/", learning.CorrectionsView.as_view(), name="api_corrections"),
    path("corrections/merge/", learning.MergeView.as_view(), name="api_corrections_merge"),
    path("corrections/<int:number>/", learning.CorrectionView.as_view(), name="api_correction"),
    path("corrections/<int:number>/decide/", learning.DecideCorrectionView.as_view(), name="api_correction_decide"),
    path("corrections/<int:number>/choose/", learning.ChooseCorrectionView.as_view(), name="api_correction_choose"),
    path("corrections/<int:number>/teach/", learning.TeachCorrectionView.as_view(), name="api_correction_teach"),
    path("workflows/<str:workflow_id>/prototypes/", learning.PrototypesView.as_view(), name="api_prototypes"),
    path(
        "workflows/<str:workflow_id>/prototypes/<str:node_id>/reset/",
        learning.ResetPrototypeView.as_view(),
        name="api_prototype_reset",
    ),
    path("replays/", learning.ReplaysView.as_view(), name="api_replays"),
    path("replays/<str:replay_id>/", learning.ReplayView.as_view(), name="api_replay"),
    path("replays/<str:replay_id>/stop/", learning.StopReplayView.as_view(), name="api_replay_stop"),
    path("replays/<str:replay_id>/differences/", learning.DifferencesView.as_view(), name="api_replay_differences"),
    path("assistant/", assistant.StatusView.as_view(), name="api_assistant"),
    path("progress/", api.AtWorkView.as_view(), name="api_progress"),
    path("prompts/", api.PromptsView.as_view(), name="api_prompts"),
    path("robots/", api.RobotsView.as_view(), name="api_robots"),
    path("robots/<path:name>/maintenance/", api.MaintenanceView.as_view(), name="api_robot_maintenance"),
    path("robots/<path:name>/tags/", api.TagsView.as_view(), name="api_robot_tags"),
]
