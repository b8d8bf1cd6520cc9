/**
 * The text of the page on which the browser ends. `done`: the login is stored. `denied`: the authorization server or the person declined. `failed`: the terminal
 * says why. `foreign`: answers no pending login.
 */
export type CallbackOutcome = 'done' | 'denied' | 'failed' | 'foreign';

type Page = {readonly status: number; readonly title: string; readonly text: string};

const pages: Readonly<Record<CallbackOutcome, Page>> = {
	done: {
		status: 200,
		title: 'Logged in',
		text: 'svc may use the tool server now. You can close this page and go back to the terminal.',
	},
	denied: {
		status: 200,
		title: 'Not logged in',
		text: 'The authorization server did not allow it. Nothing was changed; the terminal says more.',
	},
	failed: {
		status: 200,
		title: 'Not logged in',
		text: 'The authorization server sent you back, but the login could not be completed. Nothing was changed; the terminal says why.',
	},
	foreign: {
		status: 400,
		title: 'Not an answer to this login',
		text: 'This page belongs to another login, or was answered already. If a login waits in the terminal, go on with the page that it opened last.',
	},
};

const style =
	'body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1.5rem;color:#222;background:#fff}h1{font-size:1.4rem}@media (prefers-color-scheme:dark){body{color:#ddd;background:#181818}}';

/** Forbids loading, running, framing and referrers: the page's address contains the authorization server's answer. */
const headers: Readonly<Record<string, string>> = {
	'Content-Security-Policy':
		"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	'Referrer-Policy': 'no-referrer',
	'X-Content-Type-Options': 'nosniff',
	'Cache-Control': 'no-store',
};

/** The page for an outcome; it contains no foreign text. */
export function callbackPage(outcome: CallbackOutcome) {
	const {status, title, text} = pages[outcome];
	return {
		status,
		headers,
		contentType: 'text/html; charset=utf-8',
		body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title} – svc</title>
<style>${style}</style>
</head>
<body>
<h1>${title}</h1>
<p>${text}</p>
</body>
</html>
`,
		close: true,
	};
}
