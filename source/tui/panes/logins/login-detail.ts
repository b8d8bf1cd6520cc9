import type {Safe} from '../../../core/untrusted.ts';
import {
	failedReason,
	isOvertaken,
	loginKey,
	loginState,
	type LoginEntry,
} from '../../../nouns/login/login-entry.ts';
import {endText, serverHost, shortReason, stateText} from '../../../nouns/login/login.ts';
import {serverName} from '../../../nouns/server/server.ts';
import {clip, fit, widthOf} from '../../../terminal/text/fit.ts';
import {empty, literal, safe} from '../../../terminal/text/safe.ts';
import {clockTime} from '../../../terminal/text/time.ts';
import {blankLine, clean, line, type Line} from '../../lines/line.ts';
import {browserRows, deviceRows} from './attempt-rows.ts';
import {beside, type Picture} from './beside.ts';
import {factRows, sentence} from './login-rows.ts';

export type LoginDetailOptions = {
	/** The entries beside it, of which one line each is shown. */
	readonly others: readonly LoginEntry[];
	readonly width: number;
	readonly height: number;
	readonly now: number;
	/** Of the page with the code in it, when there is one and somebody wants to see it. */
	readonly picture: Picture | undefined;
};

/** One login in rows of `width` cells: what a person has to do, how it ended, what is known of it, and the others. */
export function loginDetail(entry: LoginEntry, options: LoginDetailOptions): readonly Line[] {
	const {width, now} = options;
	return [
		headRow(entry, {width, now}),
		...beside((rowsWidth, isLeftOut) => {
			const narrower = {...options, width: rowsWidth};
			return [
				...attemptRows(entry, {...narrower, isLeftOut}),
				...serverRows(entry, narrower),
				...otherRows(entry, narrower),
			];
		}, options),
	];
}

function headRow(
	entry: LoginEntry,
	{width, now}: {readonly width: number; readonly now: number},
): Line {
	const word = stateText(entry, now);
	const name = clip(clean(serverName(entry.server)), width - widthOf(word.text) - 2);
	const gap = Math.max(1, width - widthOf(name) - widthOf(word.text) - 1);
	return [
		{text: name, tone: 'strong'},
		{text: clean(' '.repeat(gap))},
		{text: word.text, tone: word.tone},
	];
}

function attemptRows(
	entry: LoginEntry,
	{width, now, isLeftOut}: LoginDetailOptions & {readonly isLeftOut: boolean},
): readonly Line[] {
	const {attempt} = entry;
	const notes = (attempt?.notes ?? []).flatMap(note =>
		sentence(safe`! ${clean(note)}`, width, 'warn'),
	);
	switch (loginState(entry, now)) {
		case 'starting':
			return [
				...sentence(literal('The authorization server is looked for …'), width),
				...notes,
				blankLine,
			];
		case 'finishing':
			return [
				...sentence(literal('Answered; the login is being completed …'), width),
				...notes,
				blankLine,
			];
		case 'succeeded':
			return [
				...sentence(literal('Logged in. The gateway takes it over by itself.'), width, 'good'),
				blankLine,
			];
		case 'waiting':
			return [
				...(isOvertaken(entry)
					? sentence(
							literal('The server was logged in to from elsewhere meanwhile: x ends this login.'),
							width,
							'good',
						)
					: []),
				...(attempt?.userCode === undefined
					? browserRows(entry, {width, now})
					: deviceRows(entry, {width, now})),
				...(isLeftOut
					? sentence(literal('A larger window shows a QR code here.'), width, 'quiet')
					: []),
				...notes,
				blankLine,
			];
		case 'needed':
		case 'held':
		case 'bare':
		case 'connecting':
		case 'idle':
		case 'failed':
		case 'off': {
			const failed = failedReason(entry);
			return failed === undefined ? [] : failedRows(failed, {entry, width});
		}
	}
}

const kept = ({login}: LoginEntry): Safe =>
	login.stored ? literal('What was stored before is still there. ') : empty;

const failedRows = (
	reason: string,
	{entry, width}: {readonly entry: LoginEntry; readonly width: number},
): readonly Line[] => [
	...sentence(safe`✗ ${clockTime(entry.attempt?.endedAt ?? 0)} ${clean(reason)}`, width, 'bad'),
	...sentence(
		safe`${kept(entry)}l tries again, b in a browser, d with a code, x puts this away.`,
		width,
		'quiet',
	),
	blankLine,
];

function serverRows(
	{server, login, ...rest}: LoginEntry,
	{width, now}: LoginDetailOptions,
): readonly Line[] {
	const {expiresAt, issuer, scope} = login;
	const host = serverHost({server, login, ...rest});
	const state = loginState({server, login, ...rest}, now);
	// Why it was not reached before, and how it usually logs in, would only confuse beside a page and a code.
	const isUnderWay = state === 'starting' || state === 'waiting' || state === 'finishing';
	const flow = isUnderWay ? (rest.attempt?.flow ?? login.flow) : login.flow;
	const configured = login.flow === 'device' ? ' (oauth.flow: device)' : '';
	const facts: ReadonlyArray<readonly [Safe, string | undefined]> = [
		[
			literal('server'),
			server.endpoint.includes(host) ? server.endpoint : `${server.endpoint} (${host})`,
		],
		[literal('why'), isUnderWay ? undefined : shortReason(server)],
		[literal('way'), flow === 'device' ? `with a code${configured}` : 'in a browser'],
		[literal('granted by'), issuer],
		[literal('grants'), scope],
		[
			literal('token'),
			expiresAt === undefined
				? undefined
				: `ends ${endText(expiresAt, now)}, renewed before that where it can be`,
		],
	];
	return facts.flatMap(([name, value]) =>
		value === undefined ? [] : factRows(name, clean(value), {width}),
	);
}

function otherRows(entry: LoginEntry, {others, width, now}: LoginDetailOptions): readonly Line[] {
	const rest = others.filter(other => loginKey(other) !== loginKey(entry));
	const cells = Math.min(
		28,
		Math.max(8, ...rest.map(({server}) => widthOf(clean(serverName(server))))),
	);
	return rest.length === 0
		? []
		: [
				blankLine,
				line(literal('  other servers'), 'quiet'),
				...rest.map((other): Line => {
					const word = stateText(other, now);
					const code = loginState(other, now) === 'waiting' ? other.attempt?.userCode : undefined;
					const host = clean(serverHost(other));
					return [
						{text: safe`  ${fit(clean(serverName(other.server)), cells)}  `},
						{text: fit(word.text, 18), tone: word.tone},
						{
							text: clip(
								safe` ${host}${code === undefined ? empty : safe`  code ${clean(code)}`}`,
								Math.max(0, width - cells - 22),
							),
							tone: 'quiet',
						},
					];
				}),
			];
}
