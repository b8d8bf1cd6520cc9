import type {LoginAttempt} from '../../../core/logins.ts';
import type {ServerView} from '../../../core/tool-server.ts';
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
import {selectedCommand} from '../../nouns/acts.ts';
import type {Shell} from '../../shell/shell.ts';
import {wantsQr} from './login-picture.ts';

const selected = (shell: Shell): LoginEntry | undefined => shell.list(loginList).selected();

const underWay = (shell: Shell): LoginAttempt | undefined => {
	const attempt = selected(shell)?.attempt;
	return isUnderWay(attempt) ? attempt : undefined;
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
): PaneCommand =>
	selectedCommand(loginList, {
		id: `logins.${id}`,
		changes: true,
		keys: [key],
		label,
		...(quiet && {quiet}),
		of: ({server}) => server,
		why: ({server, attempt}) =>
			attempt?.status === 'finishing'
				? literal('It is being completed; wait a moment')
				: noLogin(server),
		run(shell, server) {
			startLogin(shell, server, flow);
		},
	});

/** Something of a login that a person may want elsewhere. */
type Copy = {
	readonly kind: 'code' | 'url' | 'complete' | 'tunnel' | 'name';
	readonly key: string;
	readonly what: Safe;
	readonly text: string;
};

/** What there is to be copied of a login now; never a token. */
function copiesOf(entry: LoginEntry): readonly Copy[] {
	const attempt = isUnderWay(entry.attempt) ? entry.attempt : undefined;
	const {userCode, verificationUri, verificationUriComplete, url, tunnel} = attempt ?? {};
	const all: ReadonlyArray<Omit<Copy, 'text'> & {readonly text: string | undefined}> = [
		{kind: 'code', key: 'c', what: literal('code'), text: userCode},
		{kind: 'url', key: 'u', what: literal('URL'), text: verificationUri ?? url},
		{kind: 'complete', key: 'f', what: literal('URL with the code'), text: verificationUriComplete},
		{kind: 'tunnel', key: 't', what: literal('ssh line'), text: tunnel},
		{kind: 'name', key: 'n', what: literal('name of the server'), text: entry.server.name},
	];
	return all.flatMap(({text, ...rest}) => (text === undefined ? [] : [{...rest, text}]));
}

/** Copies one of what there is to be copied; its key says nothing while there is none. */
const copying = (
	kind: Copy['kind'],
	key: string,
	{label, none}: {readonly label: Safe; readonly none: Safe},
): PaneCommand =>
	selectedCommand(loginList, {
		id: `logins.copy-${kind}`,
		keys: [key],
		label,
		of: entry => copiesOf(entry).find(one => one.kind === kind),
		none,
		run: copy,
	});

function copy(shell: Shell, {text, what}: Copy): void {
	shell.attempt(async () => copyText(shell, text, what));
}

const needing = (shell: Shell): readonly LoginEntry[] =>
	loginEntries(shell.feed.get().state.servers, shell.logins.attempts()).filter(
		({server, attempt}) => server.status === 'needs login' && !isUnderWay(attempt),
	);

function askToLogOut(shell: Shell, server: ServerView): void {
	const name = clean(serverName(server));
	confirm.open(shell, {
		title: safe`Log out of ${name}`,
		lines: [
			safe`Everything that is stored of the login to ${name} is removed from this machine.`,
			literal('The next call needs a login; the server itself is told nothing.'),
		],
		act: literal('log out'),
		run() {
			shell.attempt(async () => {
				shell.logins.cancel(placeOf(server));
				const wasLoggedIn = await shell.logins.logOut(placeOf(server));
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
	selectedCommand(loginList, {
		id: 'logins.paste',
		changes: true,
		keys: ['p'],
		label: literal('paste the final URL'),
		of: ({server, attempt}) =>
			attempt?.status === 'waiting' && attempt.userCode === undefined ? server : undefined,
		none: literal('No login waits for a URL: b begins one'),
		run(shell, server) {
			loginPaste.open(shell, {place: placeOf(server), text: lineText()});
		},
	}),
	selectedCommand(loginList, {
		id: 'logins.cancel',
		changes: true,
		keys: ['x'],
		label: literal('cancel, or put a failure away'),
		of: ({attempt}) => (attempt?.status === 'failed' || isUnderWay(attempt) ? attempt : undefined),
		none: literal('No login to it is under way'),
		why: ({attempt}) =>
			attempt?.status === 'finishing' ? literal('It is being completed; wait a moment') : undefined,
		run(shell, attempt) {
			shell.logins.cancel(attempt);
		},
	}),
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
	selectedCommand(loginList, {
		id: 'logins.logout',
		changes: true,
		keys: ['L'],
		label: literal('log out'),
		quiet: shell => underWay(shell) !== undefined || selected(shell)?.login.stored !== true,
		of: ({server}) => server,
		run: askToLogOut,
	}),
	selectedCommand(loginList, {
		id: 'logins.copy',
		keys: ['y'],
		label: literal('copy …'),
		quiet: true,
		of: entry => entry,
		run(shell, entry) {
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
	}),
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
