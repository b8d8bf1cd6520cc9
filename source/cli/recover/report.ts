import {parsedJson, isJsonObject} from '../../core/json.ts';
import {countOf} from '../../core/names.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {printableTime} from '../../terminal/text/time.ts';
import type {Context} from '../console/context.ts';
import {printTable} from '../console/print-table.ts';
import {printJson, printLines, tell} from '../console/print.ts';
import {type Attempt, memberText} from './attempts.ts';
import type {RecoveryResult} from './take-in.ts';

/** The route and the search whose events are recovered. */
export type RecoveryFacts = {
	readonly route: string;
	readonly repo: string;
	readonly hook: string;
	/** Milliseconds since 1970. */
	readonly since: number;
	/** How many events failed at the host but are already here. */
	readonly known: number;
};

/** Lists the events to be taken in. */
export async function printMissed(
	context: Context,
	missed: readonly Attempt[],
	{repo, hook, known}: RecoveryFacts,
): Promise<void> {
	const rest =
		known === 0
			? ''
			: `${countOf(known, 'event')} that failed there ${known === 1 ? 'is' : 'are'} here already`;
	await printTable(context, {
		header: ['TIME', 'EVENT', 'FAILED WITH', 'GUID'],
		rows: missed.map(({at, event, action, status, result, guid}) => [
			printableTime(at),
			action === '' ? event : `${event}.${action}`,
			`${status} ${result}`,
			guid,
		]),
		empty: `Nothing to recover: webhook ${hook} of ${repo} has no event that nobody took${rest === '' ? '' : `; ${rest}`}`,
		whole: ['TIME', 'GUID'],
	});
	if (missed.length > 0 && rest !== '') {
		tell(context, rest);
	}
}

type Recovered = {
	readonly facts: RecoveryFacts;
	readonly missed: readonly Attempt[];
	readonly results: readonly RecoveryResult[];
	readonly json: boolean;
};

/** Sums up the results, and sets the exit code: 1 unless every event was taken in or needed nothing. */
export function reportRecovered(context: Context, {facts, missed, results, json}: Recovered): void {
	const failed = results.filter(({answer}) => isLost(answer) || answer.status >= 400).length;
	const left = missed.length - results.length;
	context.exit(failed + left === 0 ? 0 : 1);
	if (json) {
		printJson(context, {
			...facts,
			events: results.map(({event, answer}) => ({
				...event,
				answered: answer.status,
				outcome: outcomeOf(answer.body),
			})),
			left,
		});
		return;
	}

	const outcomes = countsOf(results.map(({answer}) => wordOf(answer)));
	printLines(context, [
		`${[countOf(results.length, 'event'), outcomes].filter(Boolean).join(': ')}${left === 0 ? '' : `; ${left} not tried${reasonToEnd(results.at(-1))}: ask again later`}`,
	]);
}

/** An event with its result. */
export const lineOfRecovered = ({event: {event, guid, at}, answer}: RecoveryResult): string =>
	`${printableTime(at)}  ${event}  ${guid}  ${isLost(answer) ? `${lost}:` : answer.status} ${outcomeOf(answer.body)}`;

const lost = 'not recovered';

/** The event did not reach the receiver. */
const isLost = ({status}: RecoveryResult['answer']): boolean => status === 0;

/** A short word for the summary, where the texts of all failures would be too long. */
const wordOf = (answer: RecoveryResult['answer']): string =>
	isLost(answer) ? lost : outcomeOf(answer.body);

const reasonToEnd = (last: RecoveryResult | undefined): string =>
	last?.answer.status === 503 ? ` after "${wordOf(last.answer)}"` : '';

/** `accepted`, `ignored (filter)`, or the error. */
function outcomeOf(body: string): string {
	const answer = parsedJson(body);
	const at = (key: string) => (isJsonObject(answer) ? memberText(answer, key) : '');
	const word = at('status') || at('error') || 'failed';
	const reason = at('reason');
	return escapeLine(reason === '' ? word : `${word} (${reason})`, 300);
}

function countsOf(words: readonly string[]): string {
	const counts = Map.groupBy(words, word => word);
	return [...counts].map(([word, {length}]) => `${length} ${word}`).join(', ');
}
