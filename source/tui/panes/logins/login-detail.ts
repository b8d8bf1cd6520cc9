import {escapeLine} from '../../../core/untrusted.ts';
import {
	failedReason,
	isOvertaken,
	loginKey,
	loginState,
	type LoginEntry,
} from '../../../nouns/login/login-entry.ts';
import {loginFacts, serverHost, stateText} from '../../../nouns/login/login.ts';
import type {Fact} from '../../../nouns/noun.ts';
import {serverName} from '../../../nouns/server/server.ts';
import {clip, fit, widthOf} from '../../../terminal/text/fit.ts';
import {empty, literal, safe} from '../../../terminal/text/safe.ts';
import {clockTime} from '../../../terminal/text/time.ts';
import {blankLine, line, type Line, apart} from '../../lines/line.ts';
import {browserRows, deviceRows, loginRows} from './attempt-rows.ts';
import {withPicture, type Picture} from './with-picture.ts';

type LoginDetailOptions = {
	/** Other entries, shown as one line each. */
	readonly others: readonly LoginEntry[];
	readonly width: number;
	readonly height: number;
	readonly now: number;
	/** The QR code of the login page including the code; absent if there is none, or QR codes are off. */
	readonly picture: Picture | undefined;
};

/** A login in rows of `width` cells: what to do, how it ended, its facts, and the other logins. */
export function loginDetail(entry: LoginEntry, options: LoginDetailOptions): readonly Line[] {
	const {width, now} = options;
	const word = stateText(entry, now);
	return [
		apart(clip(escapeLine(serverName(entry.server)), width - widthOf(word.text) - 2), word, width),
		...withPicture((rowsWidth, isLeftOut) => {
			const narrower = {...options, width: rowsWidth};
			return [
				...attemptRows(entry, {...narrower, isLeftOut}),
				...loginRows(loginFacts(entry, now), rowsWidth),
				...otherRows(entry, narrower),
			];
		}, options),
	];
}

function attemptRows(
	entry: LoginEntry,
	{width, now, isLeftOut}: LoginDetailOptions & {readonly isLeftOut: boolean},
): readonly Line[] {
	const {attempt} = entry;
	const notes = (attempt?.notes ?? []).map((note): Fact => ({
		text: `! ${escapeLine(note)}`,
		tone: 'warn',
	}));
	const told = (...facts: readonly Fact[]) => [...loginRows(facts, width), blankLine];
	switch (loginState(entry, now)) {
		case 'starting':
			return told({text: 'The authorization server is looked for …'}, ...notes);
		case 'finishing':
			return told({text: 'Answered; the login is being completed …'}, ...notes);
		case 'succeeded':
			return told({text: 'Logged in. The gateway takes it over by itself.', tone: 'good'});
		case 'waiting': {
			const rowsOf = attempt?.userCode === undefined ? browserRows : deviceRows;
			const overtaken = 'The server was logged in to from elsewhere meanwhile: x ends this login.';
			const leftOut = 'A larger window shows a QR code here.';
			return [
				...(isOvertaken(entry) ? loginRows([{text: overtaken, tone: 'good'}], width) : []),
				...(attempt ? rowsOf(entry, attempt, {width, now}) : []),
				...told(...(isLeftOut ? [{text: leftOut, tone: 'quiet'} as const] : []), ...notes),
			];
		}
		case 'needed':
		case 'held':
		case 'bare':
		case 'connecting':
		case 'idle':
		case 'failed':
		case 'off': {
			const reason = failedReason(entry);
			const kept = entry.login.stored ? 'What was stored before is still there. ' : '';
			return reason === undefined
				? []
				: told(
						{text: `✗ ${clockTime(attempt?.endedAt ?? 0)} ${escapeLine(reason)}`, tone: 'bad'},
						{
							text: `${kept}l tries again, b in a browser, d with a code, x puts this away.`,
							tone: 'quiet',
						},
					);
		}
	}
}

function otherRows(entry: LoginEntry, {others, width, now}: LoginDetailOptions): readonly Line[] {
	const rest = others.filter(other => loginKey(other) !== loginKey(entry));
	const cells = Math.min(
		28,
		Math.max(8, ...rest.map(({server}) => widthOf(escapeLine(serverName(server))))),
	);
	return rest.length === 0
		? []
		: [
				blankLine,
				line(literal('  other servers'), 'quiet'),
				...rest.map((other): Line => {
					const word = stateText(other, now);
					const code = loginState(other, now) === 'waiting' ? other.attempt?.userCode : undefined;
					const host = escapeLine(serverHost(other));
					return [
						{text: safe`  ${fit(escapeLine(serverName(other.server)), cells)}  `},
						{text: fit(word.text, 18), tone: word.tone},
						{
							text: clip(
								safe` ${host}${code === undefined ? empty : safe`  code ${escapeLine(code)}`}`,
								Math.max(0, width - cells - 22),
							),
							tone: 'quiet',
						},
					];
				}),
			];
}
