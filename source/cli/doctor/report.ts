import {type Finding, healthSigns, summaryOf} from '../../core/health.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {Context} from '../console/context.ts';
import {printResult} from '../console/print.ts';
import {examine} from './examine.ts';

/** `svc doctor`: prints findings with remedies, one per line; exits with 1 if a check fails. @throws SvcError `profile_not_found` */
export async function reportHealth(
	context: Context,
	{json, offline = false}: {readonly json?: boolean; readonly offline?: boolean},
): Promise<void> {
	const findings = await examine(context, {offline});
	const isWell = findings.every(({health}) => health !== 'failed');
	context.exit(isWell ? 0 : 1);
	const lines = await reportLines(context, findings);
	printResult(context, {json, value: {ok: isWell, findings}, lines});
}

/** The report as one text, for the interface's pager. @throws SvcError `profile_not_found` */
export async function healthText(context: Context): Promise<string> {
	const lines = await reportLines(context, await examine(context, {offline: false}));
	return `${lines.join('\n')}\n`;
}

async function reportLines(
	{stdout}: Context,
	findings: readonly Finding[],
): Promise<readonly string[]> {
	const {wrapWords} = await import('../../terminal/text/wrap-words.ts');
	const width = Math.min(maxSubject, Math.max(...findings.map(({subject}) => subject.length)));
	const indent = ' '.repeat(wordWidth + width + 5);
	const room = stdout.isTTY && stdout.columns > 0 ? stdout.columns - indent.length : Infinity;
	const rowsOf = (text: string) =>
		room < leastRoom ? [text] : [...wrapWords(escapeLine(text, Infinity), room)];
	return [
		...findings.flatMap(({subject, health, found, mend}) => {
			const head = `${healthSigns[health]} ${words[health].padEnd(wordWidth)} ${subject.padEnd(width)}  `;
			const [first = '', ...rest] = [
				...rowsOf(found),
				...(mend === undefined ? [] : rowsOf(`→ ${mend}`)),
			];
			return [`${head}${first}`, ...rest.map(row => `${indent}${row}`)];
		}),
		summaryOf(findings),
	];
}

/** Longer subjects shift their own line to the right. */
const maxSubject = 24;

/** Narrower terminals wrap the text themselves. */
const leastRoom = 20;

const words: Readonly<Record<Finding['health'], string>> = {
	ok: 'ok',
	warning: 'warning',
	failed: 'fails',
	unknown: 'unknown',
};

const wordWidth = Math.max(...Object.values(words).map(({length}) => length));
