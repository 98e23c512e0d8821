/* One way to ask the server for something: JSON there, JSON back, a refusal as a sentence. */

import { checkSession } from "./session.js";

/** A refusal of the server: `status`, `code`, and the sentence as its message. */
export class Refusal extends Error {
  constructor(status, answer) {
    super(answer.detail || gettext("The server was not reached. Check the connection, then try again."));
    this.status = status;
    this.code = answer.error || "";
    this.answer = answer;
  }
}

export async function post(url, body, options = {}) {
  let response;
  try {
    response = await fetch(url, {
      method: "POST",
      credentials: "same-origin",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json",
        "X-CSRFToken": document.querySelector('meta[name="csrf-token"]').content,
      },
      body: JSON.stringify(body),
      ...options,
    });
  } catch {
    throw new Refusal(0, {});
  }
  const answer = await response.json().catch(() => ({}));
  if ((response.status === 401 || response.status === 403) && (await checkSession())) throw new Refusal(response.status, { detail: gettext("Your session has ended. Log in, then send it again.") });
  if (!response.ok) throw new Refusal(response.status, answer);
  return answer;
}
