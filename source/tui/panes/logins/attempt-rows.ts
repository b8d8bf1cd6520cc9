import {type LoginAttempt, type LoginPolling, strangePage} from '../../../core/logins.ts';
import type {Safe} from '../../../core/untrusted.ts';
import type {LoginEntry} from '../../../nouns/login/login-entry.ts';
import {serverHost} from '../../../nouns/login/login.ts';
import {fit} from '../../../terminal/text/fit.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {duration} from '../../../terminal/text/time.ts';
import {blankLine, clean, line, type Line} from '../../lines/line.ts';
import {bigCode} from './big-code.ts';
import {factRows, sentence} from './login-rows.ts';

const stepCells = 6;

type Room = {
	readonly width: number;
	readonly now: number;
};

/** What a person does with a code. The two hosts stand together: codes are what phishers ask for. */
export function deviceRows(entry: LoginEntry, {width, now}: Room): readonly Line[] {
	const {attempt} = entry;
	if (!attempt) {
		return [];
	}

	const {verificationUri = '', verificationHost = '', userCode = ''} = attempt;
	return [
		...hostRows(entry, verificationHost, width),
		blankLine,
		...factRows(literal('1 open'), clean(verificationUri), {
			width,
			tone: 'accent',
			cells: stepCells,
		}),
		...factRows(literal('2 type'), clean(userCode), {width, tone: 'strong', cells: stepCells}),
		blankLine,
		...largeRows(userCode, width),
		blankLine,
		...timeRows(attempt, {width, now}),
		...pollingRows(attempt, {width, now}),
		...sentence(
			literal('Any device will do, a phone too. Nothing has to come back to this machine.'),
			width,
			'quiet',
		),
	];
}

/** What a person does in a browser, here or elsewhere. */
export function browserRows(entry: LoginEntry, {width, now}: Room): readonly Line[] {
	const {attempt} = entry;
	if (!attempt) {
		return [];
	}

	const {url = '', opened, redirectPort, tunnel} = attempt;
	return [
		...hostRows(entry, URL.parse(url)?.host ?? '', width),
		blankLine,
		...sentence(
			opened === true
				? literal('The browser shows this page; agree there:')
				: literal('Open this page in a browser, and agree there (u copies it whole):'),
			width,
		),
		...sentence(clean(url), width, 'accent'),
		blankLine,
		...(redirectPort === undefined
			? sentence(literal('Then press p and paste the address that the browser ends on.'), width)
			: sentence(
					tunnel === undefined
						? literal(
								'It comes back to this machine. If the browser runs elsewhere: p pastes the address that it ends on.',
							)
						: literal(
								'It comes back to this machine. If the browser runs elsewhere, type there first (t copies it):',
							),
					width,
				)),
		...(tunnel === undefined
			? []
			: [
					...sentence(clean(tunnel), width, 'accent'),
					...sentence(
						literal('or let it end on a page that does not load, press p, and paste its address.'),
						width,
					),
				]),
		blankLine,
		...timeRows(attempt, {width, now}),
	];
}

function hostRows(entry: LoginEntry, pageHost: string, width: number): readonly Line[] {
	const strange = entry.attempt && strangePage(entry.attempt);
	return [
		...factRows(literal('tool server'), clean(serverHost(entry)), {width, tone: 'strong'}),
		...factRows(literal('login page'), clean(pageHost), {width, tone: 'strong'}),
		...sentence(
			strange
				? safe`! A page of ${clean(strange.page)}, which is not ${clean(strange.issuer)}, its authorization server. Unless you expect that, do not go there: x`
				: literal('Is that the page you expect for this server? If not, do not go there: x'),
			width,
			strange ? 'bad' : 'warn',
		),
	];
}

/** In large letters, else spelt. */
function largeRows(code: string, width: number): readonly Line[] {
	const large = bigCode(code, width - 6);
	return large
		? large.map(row => line(safe`    ${row}`, 'strong'))
		: sentence(clean(Array.from(code).join(' ')), width, 'strong');
}

const answers: Readonly<Record<LoginPolling['answer'], Safe>> = {
	pending: literal('nobody has agreed yet'),
	slower: literal('it wants to be asked less often'),
	unreachable: literal('it did not answer'),
};

/** How the authorization server is asked: that something happens while a person waits, and what it said. */
function pollingRows({polling}: LoginAttempt, {width, now}: Room): readonly Line[] {
	if (!polling) {
		return [];
	}

	const {times, askedAt, answer, pauseMs} = polling;
	const ago = Math.max(0, Math.round((now - askedAt) / 1000));
	return sentence(
		safe`Asked ${times}×, every ${Math.round(pauseMs / 1000)} s, ${ago} s ago: ${answers[answer]}`,
		width,
		answer === 'pending' ? 'quiet' : 'warn',
	);
}

const mostBarCells = 30;
const leftCells = 14;

/** How much time is left. */
function timeRows({startedAt, endsAt}: LoginAttempt, {width, now}: Room): readonly Line[] {
	if (endsAt === undefined) {
		return [];
	}

	const cells = Math.min(mostBarCells, Math.max(4, width - leftCells - 4));
	const share = Math.max(0, Math.min(1, (endsAt - now) / Math.max(1, endsAt - startedAt)));
	const full = Math.ceil(share * cells);
	return [
		[
			{text: safe`  ${clean('█'.repeat(full))}${clean('░'.repeat(cells - full))}`, tone: 'quiet'},
			{text: safe`  ${fit(safe`${duration(endsAt - now)} left`, leftCells)}`, tone: 'warn'},
		],
	];
}
