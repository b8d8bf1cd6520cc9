import {strangePage} from '../../core/logins.ts';
import type {Safe} from '../../core/untrusted.ts';
import {serverName} from '../../nouns/server/server.ts';
import {fit} from '../../terminal/text/fit.ts';
import {empty, literal, safe} from '../../terminal/text/safe.ts';
import {ageText, clockTime, dayTime, duration, isSameDay} from '../../terminal/text/time.ts';
import {clean, type Line} from '../lines/line.ts';
import type {Tone} from '../theme/theme.ts';
import {
	failedReason,
	flowNow,
	isOvertaken,
	loginState,
	type LoginEntry,
	type LoginState,
} from './login-entry.ts';

/** Each state with its sign: never the colour alone. */
const words: Readonly<Record<LoginState, {readonly text: Safe; readonly tone: Tone}>> = {
	starting: {text: literal('◐ looking'), tone: 'accent'},
	waiting: {text: literal('! waits'), tone: 'warn'},
	finishing: {text: literal('◐ being completed'), tone: 'accent'},
	succeeded: {text: literal('✓ logged in now'), tone: 'good'},
	needed: {text: literal('! needs login'), tone: 'warn'},
	held: {text: literal('● logged in'), tone: 'good'},
	bare: {text: literal('○ no login stored'), tone: 'quiet'},
	connecting: {text: literal('◐ connecting'), tone: 'accent'},
	idle: {text: literal('○ not connected'), tone: 'quiet'},
	failed: {text: literal('✗ not reached'), tone: 'bad'},
	off: {text: literal('- switched off'), tone: 'quiet'},
};

/** The state of an entry in words, with the time that is left to a person, or how long a login has been missed. */
export function stateText(
	entry: LoginEntry,
	now: number,
): {readonly text: Safe; readonly tone: Tone} {
	const state = loginState(entry, now);
	const {text, tone} = words[state];
	const {attempt, server} = entry;
	if (state === 'waiting') {
		const left = attempt?.endsAt === undefined ? empty : duration(attempt.endsAt - now);
		return {text: safe`${text} ${left}`, tone};
	}

	return state === 'needed'
		? {text: safe`${text} ${ageText(now - server.since)}`, tone}
		: {text, tone};
}

/** Host of the tool server, as far as it is known. */
export function serverHost({server, attempt}: LoginEntry): string {
	const ofAttempt = attempt?.serverHost ?? '';
	return ofAttempt === '' ? (URL.parse(server.endpoint)?.host ?? server.endpoint) : ofAttempt;
}

/** When the token that is used ends: `16:40:12`, or a day with it. */
export const endText = (at: number, now: number): Safe =>
	isSameDay(at, now) ? clockTime(at) : dayTime(at);

export type LoginColumns = {readonly name: number; readonly host: number; readonly end: number};

const stateCells = 18;
const flowCells = 8;
const fixed = 3 + stateCells + flowCells + 3;
const endCells = 13;
const roomy = 76;

/** How `width` cells are shared. */
export function loginColumns(width: number): LoginColumns {
	const end = width >= roomy ? endCells : 0;
	const free = width - fixed - end;
	const name = Math.max(8, Math.min(28, Math.floor(free * 0.45)));
	return {name, host: Math.max(8, free - name), end};
}

/** The names of the columns. */
export const loginHeader = ({name, host, end}: LoginColumns): Safe =>
	safe`   ${fit(literal('server'), name)} ${fit(literal('state'), stateCells)} ${fit(literal('way'), flowCells)} ${fit(literal('host'), host)}${fit(literal(' token ends'), end)}`;

/** One server as one row. */
export function loginRow(
	entry: LoginEntry,
	{columns, now}: {readonly columns: LoginColumns; readonly now: number},
	isSelected: boolean,
): Line {
	const {server, login} = entry;
	const word = stateText(entry, now);
	const end = login.expiresAt === undefined ? literal('-') : endText(login.expiresAt, now);
	return [
		{text: isSelected ? literal('>') : literal(' '), tone: 'accent'},
		{text: word.tone === 'warn' ? literal('! ') : literal('  '), tone: 'warn'},
		{
			text: safe`${fit(clean(serverName(server)), columns.name)} `,
			tone: isSelected ? 'selected' : 'plain',
		},
		{text: fit(word.text, stateCells), tone: word.tone},
		{
			text: safe` ${fit(clean(flowNow(entry)), flowCells)} ${fit(clean(serverHost(entry)), columns.host)}${fit(safe` ${end}`, columns.end)}`,
			tone: 'quiet',
		},
	];
}

/** What a person has to know of an entry beside its row; `undefined`: nothing. */
function noteText(entry: LoginEntry, now: number): Safe | undefined {
	const {server, attempt} = entry;
	const state = loginState(entry, now);
	if (state === 'waiting' && attempt) {
		if (isOvertaken(entry)) {
			return literal('logged in from elsewhere meanwhile: x ends this one');
		}

		const {userCode, verificationUri = '', opened} = attempt;
		const strange = strangePage(attempt);
		if (userCode !== undefined) {
			const caution = strange ? safe`! not a page of ${clean(strange.issuer)}: ` : empty;
			return safe`${caution}code ${clean(userCode)} at ${clean(verificationUri)}`;
		}

		if (strange) {
			return safe`! the page is one of ${clean(strange.page)}, which is not ${clean(strange.issuer)}`;
		}

		return opened === true
			? literal('the browser shows a page: agree there')
			: literal('open the page in a browser: u copies its address');
	}

	const failed = failedReason(entry);
	if (failed !== undefined && state !== 'starting' && state !== 'finishing') {
		return safe`✗ ${clean(failed)}`;
	}

	const reason = shortReason(server);
	return (state === 'needed' || state === 'failed') && reason !== undefined
		? clean(reason)
		: undefined;
}

/** Why a server is not connected, without its name, which stands above, and the command, which is a key here; `undefined` when the state has said it. */
export function shortReason({reason, name}: LoginEntry['server']): string | undefined {
	const short = reason
		?.replace(`Tool server "${name}" `, '')
		.replace(`MCP server '${name}': `, '')
		.replace(/: run "[^"]*"$/, '');
	return short === 'needs a login' ? undefined : short;
}

/** What stands under the row of an entry. */
export function noteRow(entry: LoginEntry, now: number): Line | undefined {
	const text = noteText(entry, now);
	return text && [{text: safe`      ${text}`, tone: 'quiet'}];
}

/** Rows that notes take of a list of `height` rows: at most half. */
export const notedRows = (entries: readonly LoginEntry[], height: number): number =>
	Math.min(
		entries.filter(
			({server, attempt}) => attempt !== undefined || shortReason(server) !== undefined,
		).length,
		Math.floor(height / 2),
	);
