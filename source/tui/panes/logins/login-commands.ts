import type {LoginAttempt} from '../../../core/logins.ts';
import {type Safe, escapeLine} from '../../../core/untrusted.ts';
import {isUnderWay, loginEntries, type LoginEntry} from '../../../nouns/login/login-entry.ts';
import {loginCopies, loginNoun} from '../../../nouns/login/login.ts';
import {serverName} from '../../../nouns/server/server.ts';
import {lineText} from '../../../terminal/text/line-editor.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {type PaneCommand, onKeys, type IdAndKeys} from '../../acts/command.ts';
import {copyText} from '../../acts/copy.ts';
import {noLogin, loginPlaceOfServer, startLogin} from '../../acts/start-login.ts';
import {loginPaste} from '../../dialogs/login-paste.ts';
import {confirmation} from '../../dialogs/questions.ts';
import {loginList} from '../../entries/login-list.ts';
import {nounCommands, onSelected} from '../../nouns/acts.ts';
import type {Shell} from '../../shell/shell.ts';
import {wantsQr} from './with-picture.ts';

const selected = (shell: Shell): LoginEntry | undefined => shell.list(loginList).selected();

const underWay = (shell: Shell): LoginAttempt | undefined => {
	const attempt = selected(shell)?.attempt;
	return isUnderWay(attempt) ? attempt : undefined;
};

/** A command that begins a login; absent `flow`: as configured for the server. */
const starting = (keys: IdAndKeys, label: Safe, flow?: LoginAttempt['flow']): PaneCommand =>
	onSelected(loginList)(keys, label, {
		changes: true,
		quiet(shell) {
			const attempt = underWay(shell);
			return attempt !== undefined && (flow === undefined || attempt.flow === flow);
		},
		why: ({server, attempt}) => (attempt?.status === 'finishing' ? completing : noLogin(server)),
		run: (shell, {server}) => startLogin(shell, server, flow),
	});

const completing = literal('It is being completed; wait a moment');

/** A command that copies one of a login's texts; hidden while that text is absent. */
const copying = ([id, key]: readonly [id: string, key: string], label: Safe, none: Safe) =>
	onSelected(loginList)([id, key], label, {
		of: entry => loginCopies(entry).find(one => one.key === key),
		none,
		run: (shell, found) =>
			shell.attempt(async () => copyText(shell, found.text, escapeLine(found.label))),
	});

const needing = (shell: Shell): readonly LoginEntry[] =>
	loginEntries(shell.feed.get().state.servers, shell.logins.attempts()).filter(
		({server, attempt}) => server.status === 'needs login' && !isUnderWay(attempt),
	);

function askToLogOut(shell: Shell, {server}: LoginEntry): void {
	const name = escapeLine(serverName(server));
	confirmation.open(shell, {
		title: safe`Log out of ${name}`,
		lines: [
			safe`Everything that is stored of the login to ${name} is removed from this machine.`,
			literal('The next call needs a login; the server itself is told nothing.'),
		],
		act: literal('log out'),
		run: () =>
			shell.attempt(async () => {
				shell.logins.cancel(loginPlaceOfServer(server));
				const wasLoggedIn = await shell.logins.logOut(loginPlaceOfServer(server));
				shell.toast(
					wasLoggedIn ? safe`Logged out of ${name}` : safe`No login to ${name} was stored`,
					'good',
				);
			}),
	});
}

function askForAll(shell: Shell): void {
	const entries = needing(shell);
	const names = escapeLine(entries.map(({server}) => serverName(server)).join(', '));
	confirmation.open(shell, {
		title: literal('Log in to all that need it'),
		lines: [
			safe`Logins begin for ${names}.`,
			literal('Each goes its configured way: a page in the browser, or a code for any device.'),
		],
		act: literal('begin'),
		run() {
			for (const {server} of entries) {
				shell.logins.start(loginPlaceOfServer(server));
			}
		},
	});
}

const waitsForUrl = ({server, attempt}: LoginEntry) =>
	attempt?.status === 'waiting' && attempt.userCode === undefined
		? loginPlaceOfServer(server)
		: undefined;

/** Commands of pane 4. */
export const loginCommands: readonly PaneCommand[] = [
	starting(['logins.start', 'l'], literal('log in')),
	copying(['logins.copy-code', 'c'], literal('copy code'), literal('There is no code now')),
	copying(
		['logins.copy-url', 'u'],
		literal('copy URL'),
		literal('There is no page now: l begins a login'),
	),
	copying(
		['logins.copy-tunnel', 't'],
		literal('copy ssh line'),
		literal('There is no ssh line: nobody is known to sit elsewhere'),
	),
	onSelected(loginList)(['logins.paste', 'p'], literal('paste the final URL'), {
		changes: true,
		of: waitsForUrl,
		none: literal('No login waits for a URL: b begins one'),
		run: (shell, place) => loginPaste.open(shell, {place, text: lineText()}),
	}),
	onSelected(loginList)(['logins.cancel', 'x'], literal('cancel, or put a failure away'), {
		changes: true,
		why({attempt}) {
			if (attempt?.status === 'finishing') {
				return completing;
			}

			return attempt?.status === 'failed' || isUnderWay(attempt)
				? undefined
				: literal('No login to it is under way');
		},
		run(shell, {attempt}) {
			if (attempt) {
				shell.logins.cancel(attempt);
			}
		},
	}),
	starting(['logins.browser', 'b'], literal('log in by browser'), 'browser'),
	starting(['logins.device', 'd'], literal('log in with a code'), 'device'),
	onKeys(['logins.all', 'A'], literal('log in to all that need it'), {
		changes: true,
		quiet: shell => needing(shell).length < 2,
		why: shell =>
			needing(shell).length === 0
				? literal('No server that was reached needs a login now')
				: undefined,
		run: askForAll,
	}),
	onSelected(loginList)(['logins.logout', 'L'], literal('log out'), {
		changes: true,
		quiet: shell => underWay(shell) !== undefined || selected(shell)?.login.stored !== true,
		run: askToLogOut,
	}),
	...nounCommands({noun: loginNoun, acts: [], list: loginList}),
	onKeys(['logins.qr', 'Q'], literal('QR code on and off'), {
		quiet: true,
		run: shell => shell.local(wantsQr).set(isOn => !isOn),
	}),
];
