import {stopAll} from '../../core/clock.ts';
import {isLoginOver, type LoginAttempt} from '../../core/logins.ts';
import {versionMismatch} from '../../core/program.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {serverName} from '../../nouns/server/server.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {openMenu} from '../dialogs/questions.ts';
import {createThrottle} from '../state/throttle.ts';
import type {Shell, Host} from './shell.ts';

/** Announces a gateway of another version, once per version, when no dialog is open and nothing is being typed. Returns a function that ends it. */
export function announceVersions(shell: Shell): () => void {
	const said = new Set<string>();
	const look = () => {
		const {overlay, field} = shell.view.get();
		const {version} = shell.port.getState().gateway;
		if (shell.port.embedded || overlay || field !== undefined || said.has(version)) {
			return;
		}

		said.add(version);
		const notes = versionMismatch({gateway: version, face: shell.version});
		if (notes) {
			openMenu(shell, {
				title: literal('Two versions'),
				notes: notes.map(note => escapeLine(note)),
				items: [{key: 'g', label: literal('go on'), run() {}}],
			});
		}
	};

	const stop = stopAll([shell.feed.subscribe(look), shell.view.subscribe(look)]);
	look();
	return stop;
}

/** The least time between two bells. */
const ringMs = 10_000;

/** Rings the bell for new requests, at most every ten seconds, and not before `from` settles. Returns a function that ends it. */
export function ringBellForApprovals(
	{feed, clock, desktop}: Host,
	from?: Promise<void>,
): () => void {
	const throttle = createThrottle(
		clock,
		() => ringMs,
		() => desktop.ring(),
	);
	let newest = 0;
	let isQuiet = from !== undefined;
	const look = () => {
		if (isQuiet) {
			return;
		}

		const latest = feed.get().state.approvals.at(-1)?.id ?? 0;
		if (latest > newest) {
			newest = latest;
			throttle.ask();
		}
	};

	look();
	const unsubscribe = feed.subscribe(look);
	let hasEnded = false;
	// A request that waits by then rings the bell.
	void from?.then(
		() => {
			isQuiet = hasEnded;
			look();
			return undefined;
		},
		() => undefined,
	);
	return () => {
		hasEnded = true;
		unsubscribe();
		throttle[Symbol.dispose]();
	};
}

/** Shows a toast when a login ends, in any pane. Returns a function that ends it. */
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
		// A countdown begins or ends, which changes the pace of redraws.
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
