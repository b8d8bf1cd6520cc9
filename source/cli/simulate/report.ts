import type {StoredDelivery} from '../../core/delivery.ts';
import {countOf} from '../../core/names.ts';
import type {Comparison} from '../../gateway/simulate/compare.ts';
import {type Outcomes, type Totals, totalNames} from '../../gateway/simulate/outcomes.ts';
import {printableTime} from '../../terminal/text/time.ts';
import type {Context} from '../console/context.ts';
import {printTable} from '../console/print-table.ts';
import {printJson, printLines, tell} from '../console/print.ts';

/** The results of a simulation. */
export type Simulation = {
	readonly route: string;
	/** Names of the edited settings. */
	readonly settings: readonly string[];
	/** Oldest first. */
	readonly events: readonly StoredDelivery[];
	/** How many deliveries were skipped: their body is not stored, or there are too many. */
	readonly leftOut: number;
	/** What could not be simulated, one sentence each. */
	readonly notes: readonly string[];
	readonly today: Outcomes;
	/** Absent if nothing was edited. */
	readonly edited?: Outcomes & Comparison;
	readonly json: boolean;
};

const shownChanges = 50;

/** Prints the results of a simulation. */
export async function reportSimulation(context: Context, simulation: Simulation): Promise<void> {
	const {route, settings, events, leftOut, notes, today, edited, json} = simulation;
	if (json) {
		printJson(context, {
			route,
			settings,
			deliveries: events.length,
			leftOut,
			notes,
			today: today.totals,
			...(edited && {
				edited: edited.totals,
				changes: edited.changes,
				promptsChanged: edited.promptsChanged,
				...(edited.promptDiff && {promptDiff: edited.promptDiff}),
			}),
		});
		return;
	}

	for (const note of notes) {
		tell(context, `Note: ${note}`);
	}

	const [oldest] = events;
	const newest = events.at(-1);
	if (!oldest || !newest) {
		tell(context, `No stored deliveries of "${route}" to decide anew`);
		return;
	}

	printLines(context, [
		`${events.length} deliveries of ${route}, ${printableTime(oldest.receivedAt)} to ${printableTime(newest.receivedAt)}${leftOut === 0 ? '' : `; ${leftOut} left out, without a body or beyond 256 MiB`}`,
		'',
	]);
	await printTotals(context, today.totals, edited?.totals);
	if (edited) {
		await printChanges(context, edited);
	}
}

async function printTotals(
	context: Context,
	today: Totals,
	edited: Totals | undefined,
): Promise<void> {
	const shown = totalNames.filter(
		name => name === 'runs' || today[name] > 0 || (edited?.[name] ?? 0) > 0,
	);
	await printTable(context, {
		header: ['', 'TODAY', ...(edited ? ['EDITED', 'DIFFERENCE'] : [])],
		rows: shown.map(name => [
			name,
			String(today[name]),
			...(edited ? [String(edited[name]), difference(edited[name] - today[name])] : []),
		]),
		empty: '',
	});
}

const difference = (value: number): string =>
	value === 0 ? '' : `${value > 0 ? '+' : ''}${value}`;

async function printChanges(
	context: Context,
	{changes, promptsChanged, promptDiff}: Comparison,
): Promise<void> {
	printLines(context, ['']);
	await printTable(context, {
		header: ['ID', 'TIME', 'EVENT', 'TODAY', 'EDITED', 'WHY'],
		rows: changes
			.slice(0, shownChanges)
			.map(({id, receivedAt, event, today, edited, why}) => [
				id,
				printableTime(receivedAt),
				event,
				today,
				edited,
				why,
			]),
		empty: 'Every delivery ends as it does today',
		whole: ['ID'],
		optional: ['TIME', 'EVENT'],
	});
	if (changes.length > shownChanges) {
		printLines(context, [`… and ${changes.length - shownChanges} more; --json has all of them`]);
	}

	if (promptDiff) {
		printLines(context, [
			'',
			`${countOf(promptsChanged, 'prompt is', 'prompts are')} different; the first, of ${promptDiff.id}:`,
			...promptDiff.lines,
		]);
	}
}
