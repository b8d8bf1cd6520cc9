import {type LoginAttempt, type LoginPolling, strangePage} from '../../../core/logins.ts';
import {escapeLine} from '../../../core/untrusted.ts';
import type {LoginEntry} from '../../../nouns/login/login-entry.ts';
import {serverHost} from '../../../nouns/login/login.ts';
import type {Fact} from '../../../nouns/noun.ts';
import {fit} from '../../../terminal/text/fit.ts';
import {safe} from '../../../terminal/text/safe.ts';
import {duration} from '../../../terminal/text/time.ts';
import {blankLine, line, type Line} from '../../lines/line.ts';
import {factRows} from '../../nouns/facts.ts';
import {bigCode} from './big-code.ts';

/** The facts of a login as rows; sentences keep two cells free at the right. */
export const loginRows = (facts: readonly Fact[], width: number, factCells = 12): readonly Line[] =>
	facts.flatMap(fact => factRows([fact], {factCells, width: 'text' in fact ? width - 2 : width}));

const stepCells = 7;

type Room = {
	readonly width: number;
	readonly now: number;
};

/** How to enter the code. Both hosts are shown together, because phishers ask for codes too. */
export function deviceRows(
	entry: LoginEntry,
	attempt: LoginAttempt,
	{width, now}: Room,
): readonly Line[] {
	const {verificationUri = '', verificationHost = '', userCode = ''} = attempt;
	return [
		...loginRows(hostFacts(entry, verificationHost), width),
		blankLine,
		...loginRows(
			[
				{name: '1 open', value: escapeLine(verificationUri), tone: 'accent'},
				{name: '2 type', value: escapeLine(userCode), tone: 'strong'},
			],
			width,
			stepCells,
		),
		blankLine,
		...largeRows(userCode, width),
		blankLine,
		...timeRows(attempt, {width, now}),
		...loginRows(
			[
				...pollingFacts(attempt, now),
				{
					text: 'Any device will do, a phone too. Nothing has to come back to this machine.',
					tone: 'quiet',
				},
			],
			width,
		),
	];
}

/** How to log in with a browser, on this or another machine. */
export function browserRows(
	entry: LoginEntry,
	attempt: LoginAttempt,
	{width, now}: Room,
): readonly Line[] {
	const {url = '', opened, redirectPort, tunnel} = attempt;
	return [
		...loginRows(
			[
				...hostFacts(entry, URL.parse(url)?.host ?? ''),
				{text: ''},
				{
					text:
						opened === true
							? 'The browser shows this page; agree there:'
							: 'Open this page in a browser, and agree there (u copies it whole):',
				},
				{text: escapeLine(url), tone: 'accent'},
				{text: ''},
				...returnFacts(redirectPort, tunnel),
				{text: ''},
			],
			width,
		),
		...timeRows(attempt, {width, now}),
	];
}

/** How the browser's last address gets back to svc. */
function returnFacts(
	redirectPort: LoginAttempt['redirectPort'],
	tunnel: LoginAttempt['tunnel'],
): readonly Fact[] {
	const how =
		redirectPort === undefined
			? 'Then press p and paste the address that the browser ends on.'
			: `It comes back to this machine. If the browser runs elsewhere${tunnel === undefined ? ': p pastes the address that it ends on.' : ', type there first (t copies it):'}`;
	return tunnel === undefined
		? [{text: how}]
		: [
				{text: how},
				{text: escapeLine(tunnel), tone: 'accent'},
				{text: 'or let it end on a page that does not load, press p, and paste its address.'},
			];
}

function hostFacts(entry: LoginEntry, pageHost: string): readonly Fact[] {
	const strange = entry.attempt && strangePage(entry.attempt);
	return [
		{name: 'tool server', value: escapeLine(serverHost(entry)), tone: 'strong'},
		{name: 'login page', value: escapeLine(pageHost), tone: 'strong'},
		strange
			? {
					text: `! A page of ${escapeLine(strange.page)}, which is not ${escapeLine(strange.issuer)}, its authorization server. Unless you expect that, do not go there: x`,
					tone: 'bad',
				}
			: {
					text: 'Is that the page you expect for this server? If not, do not go there: x',
					tone: 'warn',
				},
	];
}

/** The code in large letters, or spelt if they do not fit. */
function largeRows(code: string, width: number): readonly Line[] {
	const large = bigCode(code, width - 6);
	return large
		? large.map(row => line(safe`    ${row}`, 'strong'))
		: loginRows([{text: escapeLine(Array.from(code).join(' ')), tone: 'strong'}], width);
}

const answers: Readonly<Record<LoginPolling['answer'], string>> = {
	pending: 'nobody has agreed yet',
	slower: 'it wants to be asked less often',
	unreachable: 'it did not answer',
};

/** Polling of the authorization server: shows that something happens during the wait, and the server's last word. */
function pollingFacts({polling}: LoginAttempt, now: number): readonly Fact[] {
	if (!polling) {
		return [];
	}

	const {times, askedAt, answer, pauseMs} = polling;
	const ago = Math.max(0, Math.round((now - askedAt) / 1000));
	const text = `Asked ${times}×, every ${Math.round(pauseMs / 1000)} s, ${ago} s ago: ${answers[answer]}`;
	return [{text, tone: answer === 'pending' ? 'quiet' : 'warn'}];
}

const mostBarCells = 30;
const leftCells = 14;

/** The remaining time. */
function timeRows({startedAt, endsAt}: LoginAttempt, {width, now}: Room): readonly Line[] {
	if (endsAt === undefined) {
		return [];
	}

	const cells = Math.min(mostBarCells, Math.max(4, width - leftCells - 4));
	const share = Math.max(0, Math.min(1, (endsAt - now) / Math.max(1, endsAt - startedAt)));
	const full = Math.ceil(share * cells);
	return [
		[
			{
				text: safe`  ${escapeLine('█'.repeat(full))}${escapeLine('░'.repeat(cells - full))}`,
				tone: 'quiet',
			},
			{text: safe`  ${fit(safe`${duration(endsAt - now)} left`, leftCells)}`, tone: 'warn'},
		],
	];
}
