"""How each style sheet wants its widgets written: a table of small HTML patterns per kit."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Kit:
    """One style sheet. Patterns are for str.format; what a kit does not style comes from layout.css as `x-...`."""

    name: str
    sheets: dict[str, str]  # theme: path of the style sheet within node_modules
    root: dict[str, str]  # theme: attributes of <html>
    rem: float = 1.0  # of the font size; a style sheet that thinks in larger rems than it writes has more
    accent: str = ""  # CSS, with {h} {s} {l} and {rgb} of the accent colour
    button: str = '<button type="button" class="{kind}" {attrs}>{icon}{text}</button>'
    kinds: dict[str, str] = field(default_factory=dict)
    small: str = ""
    field: str = '<div class="x-field"><label>{label}</label>{control}{hint}</div>'
    input: str = '<input class="{css}" type="{type}" value="{value}" placeholder="{placeholder}" {attrs}>'
    input_css: str = ""
    area: str = '<textarea rows="{rows}" placeholder="{placeholder}" {attrs}>{value}</textarea>'
    select: str = "<select {attrs}>{options}</select>"
    check: str = '<label class="x-check"><input type="checkbox" {attrs}> {label}</label>'
    switch: str = '<label class="x-check"><input type="checkbox" role="switch" {attrs}> {label}</label>'
    radio: str = '<label class="x-check"><input type="radio" {attrs}> {label}</label>'
    tabs: str = '<div class="x-tabs" role="tablist">{tabs}</div>'
    tab: str = '<a href="#" role="tab" aria-selected="false">{text}</a>'
    tab_on: str = '<a href="#" role="tab" aria-selected="true" class="active">{text}</a>'
    table: str = ""
    modal: str = (
        '<div class="x-backdrop"></div><div class="x-modal"><div class="x-modal-box"><h3>{title}</h3>'
        '{body}<div class="x-buttons">{buttons}</div></div></div>'
    )
    menu: str = '<div class="x-menu" role="menu">{items}</div>'
    item: str = '<a href="#" role="menuitem" class="x-item" {attrs}>{icon}{text}</a>'
    rule: str = "<hr>"
    card: str = '<div class="x-card"><h4>{title}</h4>{body}</div>'
    alert: str = '<div class="x-alert x-{kind}">{body}</div>'
    badge: str = '<span class="x-badge x-{kind}">{text}</span>'
    pages: str = '<div class="x-pages">{links}</div>'
    page: str = '<a href="#" class="x-page">{text}</a>'
    page_on: str = '<a href="#" class="x-page active" aria-current="page">{text}</a>'
    progress: str = '<progress value="{value}" max="100"></progress>'


BOOTSTRAP = Kit(
    name="bootstrap",
    sheets=dict.fromkeys(("light", "dark"), "bootstrap/dist/css/bootstrap.min.css"),
    root={"light": 'data-bs-theme="light"', "dark": 'data-bs-theme="dark"'},
    accent=(
        ".btn-primary{{--bs-btn-bg:{rgb};--bs-btn-border-color:{rgb};--bs-btn-disabled-bg:{rgb}}}"
        ".form-check-input:checked{{background-color:{rgb};border-color:{rgb}}}"
        ".active>.page-link{{background:{rgb};border-color:{rgb}}}.progress-bar{{background:{rgb}}}"
    ),
    button='<button type="button" class="btn {kind}" {attrs}>{icon}{text}</button>',
    kinds={"primary": "btn-primary", "plain": "btn-outline-secondary", "danger": "btn-danger", "quiet": "btn-light"},
    small=" btn-sm",
    field='<div class="mb-2"><label class="form-label mb-1">{label}</label>{control}{hint}</div>',
    input_css="form-control",
    area='<textarea class="form-control" rows="{rows}" placeholder="{placeholder}" {attrs}>{value}</textarea>',
    select='<select class="form-select" {attrs}>{options}</select>',
    check='<div class="form-check"><input class="form-check-input" type="checkbox" {attrs}>'
    '<label class="form-check-label">{label}</label></div>',
    switch='<div class="form-check form-switch"><input class="form-check-input" type="checkbox" role="switch" {attrs}>'
    '<label class="form-check-label">{label}</label></div>',
    radio='<div class="form-check"><input class="form-check-input" type="radio" {attrs}>'
    '<label class="form-check-label">{label}</label></div>',
    tabs='<ul class="nav nav-tabs mb-3" role="tablist">{tabs}</ul>',
    tab='<li class="nav-item"><a class="nav-link" href="#" role="tab" aria-selected="false">{text}</a></li>',
    tab_on='<li class="nav-item"><a class="nav-link active" href="#" role="tab" aria-selected="true">{text}</a></li>',
    table="table table-sm table-striped table-hover align-middle",
    modal='<div class="modal-backdrop show" style="position:absolute;inset:0;width:auto;height:auto"></div>'
    '<div class="modal show d-block" style="position:absolute"><div class="modal-dialog"><div class="modal-content">'
    '<div class="modal-header"><h5 class="modal-title">{title}</h5>'
    '<button type="button" class="btn-close" aria-label="close"></button></div>'
    '<div class="modal-body">{body}</div><div class="modal-footer">{buttons}</div></div></div></div>',
    menu='<div class="dropdown-menu show" role="menu">{items}</div>',
    item='<a class="dropdown-item" href="#" role="menuitem" {attrs}>{icon}{text}</a>',
    rule='<hr class="dropdown-divider">',
    card='<div class="card"><div class="card-header">{title}</div><div class="card-body">{body}</div></div>',
    alert='<div class="alert alert-{kind} py-2">{body}</div>',
    badge='<span class="badge text-bg-{kind}">{text}</span>',
    pages='<ul class="pagination">{links}</ul>',
    page='<li class="page-item"><a class="page-link" href="#">{text}</a></li>',
    page_on='<li class="page-item active"><a class="page-link" href="#" aria-current="page">{text}</a></li>',
    progress='<div class="progress"><div class="progress-bar" style="width:{value}%"></div></div>',
)

BULMA = Kit(
    name="bulma",
    sheets=dict.fromkeys(("light", "dark"), "bulma/css/bulma.min.css"),
    root={"light": 'data-theme="light"', "dark": 'data-theme="dark"'},
    accent=":root,[data-theme]{{--bulma-primary-h:{h}deg;--bulma-primary-s:{s}%;--bulma-primary-l:{l}%;"
    "--bulma-link-h:{h}deg;--bulma-link-s:{s}%;--bulma-link-l:{l}%}}",
    button='<button type="button" class="button {kind}" {attrs}>{icon}{text}</button>',
    kinds={"primary": "is-link", "plain": "", "danger": "is-danger", "quiet": "is-light"},
    small=" is-small",
    field='<div class="field"><label class="label">{label}</label><div class="control">{control}</div>{hint}</div>',
    input_css="input",
    area='<textarea class="textarea" rows="{rows}" placeholder="{placeholder}" {attrs}>{value}</textarea>',
    select='<div class="select is-fullwidth"><select {attrs}>{options}</select></div>',
    check='<div class="x-line"><label class="checkbox"><input type="checkbox" {attrs}> {label}</label></div>',
    switch='<div class="x-line"><label class="checkbox"><input type="checkbox" {attrs}> {label}</label></div>',
    radio='<div class="x-line"><label class="radio"><input type="radio" {attrs}> {label}</label></div>',
    tabs='<div class="tabs is-boxed"><ul role="tablist">{tabs}</ul></div>',
    tab='<li><a href="#" role="tab" aria-selected="false">{text}</a></li>',
    tab_on='<li class="is-active"><a href="#" role="tab" aria-selected="true">{text}</a></li>',
    table="table is-fullwidth is-striped is-narrow",
    modal='<div class="modal is-active" style="position:absolute"><div class="modal-background" '
    'style="position:absolute"></div><div class="modal-card"><header class="modal-card-head">'
    '<p class="modal-card-title">{title}</p><button class="delete" aria-label="close"></button></header>'
    '<section class="modal-card-body">{body}</section><footer class="modal-card-foot"><div class="buttons">{buttons}'
    "</div></footer></div></div>",
    menu='<div class="dropdown-content" role="menu">{items}</div>',
    item='<a class="dropdown-item" href="#" role="menuitem" {attrs}>{icon}{text}</a>',
    rule='<hr class="dropdown-divider">',
    card='<div class="card"><header class="card-header"><p class="card-header-title">{title}</p></header>'
    '<div class="card-content">{body}</div></div>',
    alert='<div class="notification is-{kind} is-light">{body}</div>',
    badge='<span class="tag is-{kind}">{text}</span>',
    pages='<nav class="pagination"><ul class="pagination-list">{links}</ul></nav>',
    page='<li><a class="pagination-link" href="#">{text}</a></li>',
    page_on='<li><a class="pagination-link is-current" href="#" aria-current="page">{text}</a></li>',
    progress='<progress class="progress is-link" value="{value}" max="100"></progress>',
)

PICO = Kit(
    name="pico",
    sheets=dict.fromkeys(("light", "dark"), "@picocss/pico/css/pico.min.css"),
    root={"light": 'data-theme="light"', "dark": 'data-theme="dark"'},
    accent="[data-theme]{{--pico-primary:{rgb};--pico-primary-background:{rgb};--pico-primary-border:{rgb}}}",
    kinds={"primary": "", "plain": "secondary outline", "danger": "contrast", "quiet": "outline"},
    small=" x-small",
)

SPECTRE = Kit(
    name="spectre",
    rem=1.25,
    sheets={"light": "spectre.css/dist/spectre.min.css"},
    root={"light": ""},
    accent=(
        ".btn.btn-primary{{background:{rgb};border-color:{rgb}}}.tab .tab-item.active a{{color:{rgb};"
        "border-bottom-color:{rgb}}}a{{color:{rgb}}}.form-icon{{}}input:checked+.form-icon{{background:{rgb}!important;"
        "border-color:{rgb}!important}}"
    ),
    button='<button type="button" class="btn {kind}" {attrs}>{icon}{text}</button>',
    kinds={"primary": "btn-primary", "plain": "", "danger": "btn-error", "quiet": "btn-link"},
    small=" btn-sm",
    field='<div class="form-group"><label class="form-label">{label}</label>{control}{hint}</div>',
    input_css="form-input",
    area='<textarea class="form-input" rows="{rows}" placeholder="{placeholder}" {attrs}>{value}</textarea>',
    select='<select class="form-select" {attrs}>{options}</select>',
    check='<label class="form-checkbox"><input type="checkbox" {attrs}>'
    '<i class="form-icon" data-box></i> {label}</label>',
    switch='<label class="form-switch"><input type="checkbox" {attrs}>'
    '<i class="form-icon" data-box></i> {label}</label>',
    radio='<label class="form-radio"><input type="radio" {attrs}><i class="form-icon" data-box></i> {label}</label>',
    tabs='<ul class="tab" role="tablist">{tabs}</ul>',
    tab='<li class="tab-item"><a href="#" role="tab" aria-selected="false">{text}</a></li>',
    tab_on='<li class="tab-item active"><a href="#" role="tab" aria-selected="true">{text}</a></li>',
    table="table table-striped",
    modal='<div class="modal active" style="position:absolute">'
    '<div class="modal-overlay" style="position:absolute"></div>'
    '<div class="modal-container"><div class="modal-header"><div class="modal-title h5">{title}</div></div>'
    '<div class="modal-body">{body}</div><div class="modal-footer">{buttons}</div></div></div>',
    menu='<ul class="menu" role="menu">{items}</ul>',
    item='<li class="menu-item"><a href="#" role="menuitem" {attrs}>{icon}{text}</a></li>',
    rule='<li class="divider"></li>',
    card='<div class="card"><div class="card-header"><div class="card-title h5">{title}</div></div>'
    '<div class="card-body">{body}</div></div>',
    alert='<div class="toast toast-{kind}">{body}</div>',
    badge='<span class="label label-{kind}">{text}</span>',
    pages='<ul class="pagination">{links}</ul>',
    page='<li class="page-item"><a href="#">{text}</a></li>',
    page_on='<li class="page-item active"><a href="#" aria-current="page">{text}</a></li>',
    progress='<progress class="progress" value="{value}" max="100"></progress>',
)

SEMANTIC = Kit(
    name="semantic",
    sheets={"light": "semantic-ui-css/semantic.min.css"},
    root={"light": ""},
    accent=".ui.primary.button{{background-color:{rgb}}}a{{color:{rgb}}}",
    button='<button type="button" class="ui {kind} button" {attrs}>{icon}{text}</button>',
    kinds={"primary": "primary", "plain": "basic", "danger": "negative", "quiet": ""},
    small=" small",
    field='<div class="field"><label>{label}</label>{control}{hint}</div>',
    area='<textarea rows="{rows}" placeholder="{placeholder}" {attrs}>{value}</textarea>',
    check='<div class="x-line"><div class="ui checkbox"><input type="checkbox" {attrs}>'
    "<label>{label}</label></div></div>",
    switch='<div class="x-line"><div class="ui toggle checkbox"><input type="checkbox" {attrs}><label>{label}</label>'
    "</div></div>",
    radio='<div class="x-line"><div class="ui radio checkbox"><input type="radio" {attrs}>'
    "<label>{label}</label></div></div>",
    tabs='<div class="ui top attached tabular menu" role="tablist">{tabs}</div>',
    tab='<a class="item" href="#" role="tab" aria-selected="false">{text}</a>',
    tab_on='<a class="active item" href="#" role="tab" aria-selected="true">{text}</a>',
    table="ui compact small striped table",
    modal='<div class="x-backdrop"></div><div class="x-modal"><div class="ui visible active modal" '
    'style="position:relative;display:block"><div class="header">{title}</div><div class="content ui form">{body}</div>'
    '<div class="actions">{buttons}</div></div></div>',
    menu='<div class="ui vertical menu" role="menu">{items}</div>',
    item='<a class="item" href="#" role="menuitem" {attrs}>{icon}{text}</a>',
    rule="",
    card='<div class="ui fluid card"><div class="content"><div class="header">{title}</div></div>'
    '<div class="content">{body}</div></div>',
    alert='<div class="ui {kind} message">{body}</div>',
    badge='<span class="ui {kind} label">{text}</span>',
    pages='<div class="ui pagination menu">{links}</div>',
    page='<a class="item" href="#" data-role="button">{text}</a>',
    page_on='<a class="active item" href="#" data-role="button" aria-current="page">{text}</a>',
    progress='<div class="ui progress"><div class="bar" style="width:{value}%"></div></div>',
)

WATER = Kit(
    name="water",
    sheets={"light": "water.css/out/light.min.css", "dark": "water.css/out/dark.min.css"},
    root={"light": "", "dark": ""},
    accent=":root{{--links:{rgb};--focus:{rgb}99}}button.primary{{background:{rgb};color:#fff}}",
    kinds={"primary": "primary", "plain": "", "danger": "x-red", "quiet": ""},
    small=" x-small",
)


def _plain(name: str, path: str, **more: str) -> Kit:
    """A style sheet for pages without classes, in light alone."""
    return Kit(
        name=name,
        sheets={"light": path},
        root={"light": ""},
        accent="button.primary{{background:{rgb};border-color:{rgb};color:#fff}}a{{color:{rgb}}}",
        kinds={"primary": "primary", "plain": "", "danger": "x-red", "quiet": ""},
        small=" x-small",
        **more,  # type: ignore[arg-type]
    )


MILLIGRAM = _plain("milligram", "milligram/dist/milligram.min.css")
SAKURA = _plain("sakura", "sakura.css/css/sakura.css")
MVP = _plain("mvp", "mvp.css/mvp.css")
NEW = _plain("new", "@exampledev/new.css/new.css")
HOLIDAY = _plain("holiday", "holiday.css/dist/holiday.css")
SIMPLE = _plain("simple", "simpledotcss/simple.min.css")
CHOTA = _plain(
    "chota", "chota/dist/chota.min.css",
    button='<button type="button" class="button {kind}" {attrs}>{icon}{text}</button>',
    card='<div class="card"><header><h4>{title}</h4></header>{body}</div>', table="striped",
    tabs='<nav class="tabs" role="tablist">{tabs}</nav>',
)  # fmt: skip
UIKIT = Kit(
    name="uikit",
    sheets={"light": "uikit/dist/css/uikit.min.css"},
    root={"light": ""},
    accent=".uk-button-primary{{background:{rgb}}}a{{color:{rgb}}}",
    button='<button type="button" class="uk-button {kind}" {attrs}>{icon}{text}</button>',
    kinds={
        "primary": "uk-button-primary",
        "plain": "uk-button-default",
        "danger": "uk-button-danger",
        "quiet": "uk-button-text",
    },
    small=" uk-button-small",
    field='<div class="x-field"><label class="uk-form-label">{label}</label>{control}{hint}</div>',
    input_css="uk-input",
    area='<textarea class="uk-textarea" rows="{rows}" placeholder="{placeholder}" {attrs}>{value}</textarea>',
    select='<select class="uk-select" {attrs}>{options}</select>',
    check='<label class="x-check"><input class="uk-checkbox" type="checkbox" {attrs}> {label}</label>',
    switch='<label class="x-check"><input class="uk-checkbox" type="checkbox" role="switch" {attrs}> {label}</label>',
    radio='<label class="x-check"><input class="uk-radio" type="radio" {attrs}> {label}</label>',
    tabs='<ul class="uk-tab" role="tablist">{tabs}</ul>',
    tab='<li><a href="#" role="tab" aria-selected="false">{text}</a></li>',
    tab_on='<li class="uk-active"><a href="#" role="tab" aria-selected="true">{text}</a></li>',
    table="uk-table uk-table-small uk-table-striped",
    card='<div class="uk-card uk-card-default uk-card-body uk-card-small"><h4>{title}</h4>{body}</div>',
    alert='<div class="uk-alert uk-alert-{kind}">{body}</div>',
    badge='<span class="uk-label uk-label-{kind}">{text}</span>',
)  # fmt: skip


def _windows(name: str, path: str) -> Kit:
    """A style sheet that draws pages as an old Windows draws its programs, check boxes by their labels."""
    tick = '<div class="field-row"><input type="{type}" id="{id}" {{attrs}}><label for="{id}">{{label}}</label></div>'
    return Kit(
        name=name,
        sheets={"light": path},
        root={"light": ""},
        button='<button type="button" class="{kind}" {attrs}>{icon}{text}</button>',
        accent="button{{color:#222!important;text-shadow:none!important}}",  # they draw letters by their shadow alone
        kinds={"primary": "default", "plain": "", "danger": "", "quiet": ""},
        field='<div class="x-field field-row-stacked"><label>{label}</label>{control}{hint}</div>',
        check=tick.format(type="checkbox", id=""),
        switch=tick.format(type="checkbox", id=""),
        radio=tick.format(type="radio", id=""),
        tabs='<menu role="tablist">{tabs}</menu>',
        tab='<li role="tab" aria-selected="false"><a href="#" role="tab">{text}</a></li>',
        tab_on='<li role="tab" aria-selected="true"><a href="#" role="tab">{text}</a></li>',
        card="<fieldset><legend>{title}</legend>{body}</fieldset>",
        table="interactive",
    )


WIN98, WINXP, WIN7 = (
    _windows("98", "98.css/dist/98.css"), _windows("xp", "xp.css/dist/XP.css"), _windows("7", "7.css/dist/7.css"),
)  # fmt: skip

_OLDER = (BOOTSTRAP, BULMA, PICO, SPECTRE, SEMANTIC, WATER)
KITS = {kit.name: kit for kit in _OLDER}
# What only pages for targets wear: other hands than those that perception is measured on.
MORE_KITS = {kit.name: kit for kit in (MILLIGRAM, SAKURA, MVP, NEW, HOLIDAY, SIMPLE, CHOTA, UIKIT, WIN98, WINXP, WIN7)}
# What each kit calls the four kinds of message; the others have them under our names.
KIND_NAMES = {
    "bulma": {"primary": "link", "secondary": "dark"},
    "spectre": {"danger": "error", "info": "primary"},
    "semantic": {"danger": "red", "primary": "blue", "info": "blue", "success": "green", "warning": "orange"},
}
