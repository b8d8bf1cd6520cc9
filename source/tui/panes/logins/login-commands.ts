import type {LoginAttempt} from '../../../core/logins.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {isUnderWay, loginEntries, type LoginEntry} from '../../../nouns/login/login-entry.ts';
import {serverName} from '../../../nouns/server/server.ts';
import {lineText} from '../../../terminal/text/line-editor.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import type {PaneCommand} from '../../acts/command.ts';
import {copyText} from '../../acts/copy.ts';
import {noLogin, placeOf, startLogin} from '../../acts/start-login.ts';
import {loginPaste} from '../../dialogs/login-paste.ts';
import {confirm, openMenu} from '../../dialogs/questions.ts';
import {loginList} from '../../entries/login-list.ts';
import {clean} from '../../lines/line.ts';
import type {Shell} from '../../shell/shell.ts';
import {copiesOf, type Copy} from './login-copies.ts';
import {wantsQr} from './login-picture.ts';

const selected = (shell: Shell): LoginEntry | undefined => shell.list(loginList).selected();

const underWay = (shell: Shell): LoginAttempt | undefined => {
	const attempt = selected(shell)?.attempt;
	return isUnderWay(attempt) ? attempt : undefined;
};

const why =
	(reasonFor: (entry: LoginEntry) => Safe | undefined) =>
	(shell: Shell): Safe | undefined => {
		const entry = selected(shell);
		return entry ? reasonFor(entry) : literal('No server with a login is selected');
	};

const starting = (
	id: string,
	key: string,
	{
		label,
		flow,
		quiet,
	}: {
		readonly label: Safe;
		readonly flow?: LoginAttempt['flow'];
		readonly quiet?: (shell: Shell) => boolean;
	},
): PaneCommand => ({
	id: `logins.${id}`,
	changes: true,
	keys: [key],
	label,
	...(quiet && {quiet}),
	why: why(({server, attempt}) =>
		attempt?.status === 'finishing'
			? literal('It is being completed; wait a moment')
			: noLogin(server),
	),
	run(shell) {
		const entry = selected(shell);
		if (entry) {
			startLogin(shell, entry.server, flow);
		}
	},
});

/** Copies one of what there is to be copied; its key says nothing while there is none. */
const copying = (
	kind: Copy['kind'],
	key: string,
	{label, none}: {readonly label: Safe; readonly none: Safe},
): PaneCommand => ({
	id: `logins.copy-${kind}`,
	keys: [key],
	label,
	why: why(entry => (copiesOf(entry).some(one => one.kind === kind) ? undefined : none)),
	run(shell) {
		const copies = copiesOf(selected(shell));
		copy(
			shell,
			copies.find(one => one.kind === kind),
		);
	},
});

function copy(shell: Shell, found: Copy | undefined): void {
	if (found) {
		shell.attempt(async () => copyText(shell, found.text, found.what));
	}
}

const needing = (shell: Shell): readonly LoginEntry[] =>
	loginEntries(shell.feed.get().state.servers, shell.logins.attempts()).filter(
		({server, attempt}) => server.status === 'needs login' && !isUnderWay(attempt),
	);

function askToLogOut(shell: Shell): void {
	const entry = selected(shell);
	if (!entry) {
		return;
	}

	const name = clean(serverName(entry.server));
	confirm.open(shell, {
		title: safe`Log out of ${name}`,
		lines: [
			safe`Everything that is stored of the login to ${name} is removed from this machine.`,
			literal('The next call needs a login; the server itself is told nothing.'),
		],
		act: literal('log out'),
		run() {
			shell.attempt(async () => {
				shell.logins.cancel(placeOf(entry.server));
				const wasLoggedIn = await shell.logins.logOut(placeOf(entry.server));
				shell.toast(
					wasLoggedIn ? safe`Logged out of ${name}` : safe`No login to ${name} was stored`,
					'good',
				);
			});
		},
	});
}

function askForAll(shell: Shell): void {
	const entries = needing(shell);
	const names = clean(entries.map(({server}) => serverName(server)).join(', '));
	confirm.open(shell, {
		title: literal('Log in to all that need it'),
		lines: [
			safe`Logins begin for ${names}.`,
			literal('Each goes its configured way: a page in the browser, or a code for any device.'),
		],
		act: literal('begin'),
		run() {
			for (const {server} of entries) {
				shell.logins.start(placeOf(server));
			}
		},
	});
}

/** Commands of pane 4. */
export const loginCommands: readonly PaneCommand[] = [
	starting('start', 'l', {label: literal('log in'), quiet: shell => underWay(shell) !== undefined}),
	copying('code', 'c', {label: literal('copy code'), none: literal('There is no code now')}),
	copying('url', 'u', {
		label: literal('copy URL'),
		none: literal('There is no page now: l begins a login'),
	}),
	copying('tunnel', 't', {
		label: literal('copy ssh line'),
		none: literal('There is no ssh line: nobody is known to sit elsewhere'),
	}),
	{
		id: 'logins.paste',
		changes: true,
		keys: ['p'],
		label: literal('paste the final URL'),
		why: why(({attempt}) =>
			attempt?.status === 'waiting' && attempt.userCode === undefined
				? undefined
				: literal('No login waits for a URL: b begins one'),
		),
		run(shell) {
			const entry = selected(shell);
			if (entry) {
				loginPaste.open(shell, {place: placeOf(entry.server), text: lineText()});
			}
		},
	},
	{
		id: 'logins.cancel',
		changes: true,
		keys: ['x'],
		label: literal('cancel, or put a failure away'),
		why: why(({attempt}) => {
			if (attempt?.status === 'failed') {
				return undefined;
			}

			if (!isUnderWay(attempt)) {
				return literal('No login to it is under way');
			}

			return attempt.status === 'finishing'
				? literal('It is being completed; wait a moment')
				: undefined;
		}),
		run(shell) {
			const attempt = selected(shell)?.attempt;
			if (attempt) {
				shell.logins.cancel(attempt);
			}
		},
	},
	starting('browser', 'b', {
		label: literal('log in by browser'),
		flow: 'browser',
		quiet: shell => underWay(shell)?.flow === 'browser',
	}),
	starting('device', 'd', {
		label: literal('log in with a code'),
		flow: 'device',
		quiet: shell => underWay(shell)?.flow === 'device',
	}),
	{
		id: 'logins.all',
		changes: true,
		keys: ['A'],
		label: literal('log in to all that need it'),
		quiet: shell => needing(shell).length < 2,
		why: shell =>
			needing(shell).length === 0
				? literal('No server that was reached needs a login now')
				: undefined,
		run: askForAll,
	},
	{
		id: 'logins.logout',
		changes: true,
		keys: ['L'],
		label: literal('log out'),
		quiet: shell => underWay(shell) !== undefined || selected(shell)?.login.stored !== true,
		why: why(() => undefined),
		run: askToLogOut,
	},
	{
		id: 'logins.copy',
		keys: ['y'],
		label: literal('copy …'),
		quiet: true,
		why: why(() => undefined),
		run(shell) {
			const entry = selected(shell);
			openMenu(shell, {
				title: literal('Copy'),
				items: copiesOf(entry).map(one => ({
					key: one.key,
					label: one.what,
					run() {
						copy(shell, one);
					},
				})),
			});
		},
	},
	{
		id: 'logins.qr',
		keys: ['Q'],
		label: literal('QR code on and off'),
		quiet: true,
		run(shell) {
			shell.local(wantsQr).set(isOn => !isOn);
		},
	},
];
