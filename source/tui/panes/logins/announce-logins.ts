import {isLoginOver, type LoginAttempt} from '../../../core/logins.ts';
import {escapeLine} from '../../../core/untrusted.ts';
import {serverName} from '../../../nouns/server/server.ts';
import {safe} from '../../../terminal/text/safe.ts';
import type {Host} from '../../shell/shell.ts';

/** Says in the last row how each login ended, whatever pane is open. Returns the end of that. */
export function announceLogins({logins, feed, toast}: Host): () => void {
	let before = new Map<string, LoginAttempt>();
	return logins.subscribe(() => {
		const attempts = new Map(
			logins
				.attempts()
				.map(attempt => [JSON.stringify([attempt.profile, attempt.server]), attempt]),
		);
		for (const [key, attempt] of attempts) {
			const last = before.get(key);
			const isNew = last?.startedAt !== attempt.startedAt || !isLoginOver(last);
			if (isLoginOver(attempt) && isNew) {
				announce(attempt, toast);
			}
		}

		before = attempts;
		// A countdown begins or ends.
		feed.repace();
	});
}

function announce(attempt: LoginAttempt, toast: Host['toast']): void {
	const {server, profile, status, serverHost, reason} = attempt;
	const name = escapeLine(serverName({name: server, profile}));
	if (status === 'succeeded') {
		toast(safe`Logged in to ${name} (${escapeLine(serverHost)})`, 'good');
	} else if (status === 'failed') {
		toast(escapeLine(reason ?? `Cannot log in to ${name}`), 'bad');
	} else {
		toast(safe`The login to ${name} was cancelled; what was stored is still there`);
	}
}
