import {type LoginAttempt, strangePage} from '../../core/logins.ts';
import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {empty, literal, safe} from '../../terminal/text/safe.ts';
import {ageText, clockTime, dayTime, duration, isSameDay} from '../../terminal/text/time.ts';
import {column, mainColumn, fact, from, type Fact, type ListedNoun, type Tone} from '../noun.ts';
import {serverName} from '../server/server.ts';
import {
	failedReason,
	flowNow,
	isOvertaken,
	isUnderWay,
	loginKey,
	loginState,
	loginVocabulary,
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

/** The state of an entry in words, with the time that remains to the person, or since when a login is needed. */
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

/** Host of the tool server, if known. */
export function serverHost({server, attempt}: LoginEntry): string {
	const ofAttempt = attempt?.serverHost ?? '';
	return ofAttempt === '' ? (URL.parse(server.endpoint)?.host ?? server.endpoint) : ofAttempt;
}

/** When the current token expires: `16:40:12`, or with the date. */
export const endText = (at: number, now: number): Safe =>
	isSameDay(at, now) ? clockTime(at) : dayTime(at);

/** What a person has to know besides the row; `undefined`: nothing. */
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
			const caution = strange ? safe`! not a page of ${escapeLine(strange.issuer)}: ` : empty;
			return safe`${caution}code ${escapeLine(userCode)} at ${escapeLine(verificationUri)}`;
		}

		if (strange) {
			return safe`! the page is one of ${escapeLine(strange.page)}, which is not ${escapeLine(strange.issuer)}`;
		}

		return opened === true
			? literal('the browser shows a page: agree there')
			: literal('open the page in a browser: u copies its address');
	}

	const failed = failedReason(entry);
	if (failed !== undefined && state !== 'starting' && state !== 'finishing') {
		return safe`✗ ${escapeLine(failed)}`;
	}

	const reason = shortReason(server);
	return (state === 'needed' || state === 'failed') && reason !== undefined
		? escapeLine(reason)
		: undefined;
}

/** Why a server is not connected, without its name (shown above) and the command (a key here); `undefined` if the state already says it. */
export function shortReason({reason, name}: LoginEntry['server']): string | undefined {
	const short = reason
		?.replace(`Tool server "${name}" `, '')
		.replace(`MCP server '${name}': `, '')
		.replace(/: run "[^"]*"$/, '');
	return short === 'needs a login' ? undefined : short;
}

/**
 * The facts of the server and its login. While a login is in progress, the earlier failure and the usual flow are left out, because they would confuse beside a
 * page and a code.
 */
export function loginFacts(entry: LoginEntry, now: number): readonly Fact[] {
	const {server, login, attempt} = entry;
	const {expiresAt, issuer, scope} = login;
	const host = serverHost(entry);
	const flow = isUnderWay(attempt) ? attempt.flow : login.flow;
	const configured = login.flow === 'device' ? ' (oauth.flow: device)' : '';
	return [
		...fact(
			'server',
			server.endpoint.includes(host) ? server.endpoint : `${server.endpoint} (${host})`,
		),
		...fact('why', isUnderWay(attempt) ? undefined : shortReason(server)),
		...fact('way', flow === 'device' ? `with a code${configured}` : 'in a browser'),
		...fact('granted by', issuer),
		...fact('grants', scope),
		...fact(
			'token',
			expiresAt === undefined
				? undefined
				: `ends ${endText(expiresAt, now)}, renewed before that where it can be`,
		),
	];
}

/** The texts of a login to copy; never a token. */
export function loginCopies({server, attempt}: LoginEntry) {
	const {userCode, verificationUri, verificationUriComplete, url, tunnel} = isUnderWay(attempt)
		? attempt
		: ({} as Partial<LoginAttempt>);
	const all = [
		{key: 'c', label: 'code', text: userCode},
		{key: 'u', label: 'URL', text: verificationUri ?? url},
		{key: 'f', label: 'URL with the code', text: verificationUriComplete},
		{key: 't', label: 'ssh line', text: tunnel},
		{key: 'n', label: 'name of the server', text: server.name},
	];
	return all.flatMap(({text, ...rest}) => (text === undefined ? [] : [{...rest, text}]));
}

/** The login to a tool server. @see manual/logins.md */
export const loginNoun: ListedNoun<LoginEntry> = {
	one: 'login',
	many: 'logins',
	id: loginKey,
	name: ({server}) => serverName(server),
	sign: (entry, {now}) => (stateText(entry, now).tone === 'warn' ? '!' : ' '),
	columns: [
		mainColumn('server', {share: 0.45, least: 8, most: 28}, ({server}) => serverName(server)),
		column('state', 18, {
			value: (entry, {now}) => stateText(entry, now).text,
			tone: (entry, {now}) => stateText(entry, now).tone,
		}),
		column('way', 8, flowNow),
		column('host', {least: 8}, serverHost),
		column('token ends', from(76, 12), ({login}, {now}) =>
			login.expiresAt === undefined ? '-' : endText(login.expiresAt, now),
		),
	],
	note: (entry, {now}) => noteText(entry, now),
	copies: {label: 'copy …', isQuiet: true, of: loginCopies},
	vocabulary: loginVocabulary,
};
