/* What a page is told by one script and heard by others: whoever is loaded later hears the newest at once. */

const newest = new Map(); // the subject → what was told last

export function tell(subject, detail) {
  newest.set(subject, detail);
  document.dispatchEvent(new CustomEvent(`surehand:${subject}`, { detail }));
}

export function hear(subject, then) {
  document.addEventListener(`surehand:${subject}`, ({ detail }) => then(detail));
  if (newest.has(subject)) then(newest.get(subject));
}
