import type {GatewayState} from '../../core/state.ts';
import type {Safe} from '../../core/untrusted.ts';
import type {StopConsequences} from '../../gateway/port.ts';
import {fit} from '../../terminal/text/fit.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {scopeTitle} from '../commands/scope-title.ts';
import {bindings} from '../commands/table.ts';
import {blankLine, clean, line, wrapText, type Line} from '../lines/line.ts';
import type {Pane} from '../panes/pane.ts';
import type {FirstRunCard, MenuItem} from '../state/view.ts';

type Leaving = {
	readonly embedded: boolean;
	/** How else the gateway of this process goes on, or why it does not, where it cannot when the screen closes. */
	readonly howToKeep: string | undefined;
	readonly pid: number;
	/** Servers whose login waits for the person. */
	readonly logins?: readonly string[];
	readonly consequences?: StopConsequences | undefined;
};

/** What leaving would end, and what goes on. */
export const quitFacts = ({
	embedded,
	pid,
	consequences,
	logins = [],
}: Leaving): readonly string[] => [
	...(embedded ? endingFacts(consequences) : [attachedFact(pid)]),
	...(logins.length > 0 ? [loginFact(logins)] : []),
];

/** The consequences of leaving, named from what goes on now. */
export function quitLines(leaving: Leaving, width: number): readonly Line[] {
	const {embedded, howToKeep} = leaving;
	return [
		blankLine,
		...quitFacts(leaving).flatMap(fact =>
			wrapText(fact, width - 2).map(row => line(safe`  ${row}`)),
		),
		blankLine,
		[
			{text: literal('  q'), tone: 'accent'},
			{text: literal(' again to quit, ')},
			...(embedded && howToKeep === undefined
				? ([
						{text: literal('b'), tone: 'accent'},
						{text: literal(' leave it running in the background, ')},
					] as const)
				: []),
			{text: literal('Esc'), tone: 'accent'},
			{text: literal(' stay')},
		],
		...(howToKeep === undefined ? [] : [blankLine, ...quietLines(howToKeep, width)]),
	];
}

const quietLines = (text: string, width: number): readonly Line[] =>
	wrapText(text, width - 2).map(row => line(safe`  ${row}`, 'quiet'));

const attachedFact = (pid: number): string =>
	`Only this screen closes. The gateway goes on in process ${pid}; \`svc gateway stop\` ends it.`;

const loginFact = (servers: readonly string[]): string =>
	`${counted(servers.length, 'login')} under way ${servers.length === 1 ? 'ends' : 'end'} unfinished (${servers.join(', ')}); what was stored before stays.`;

function endingFacts(consequences: StopConsequences | undefined): readonly string[] {
	const stops = 'svc stops answering webhooks.';
	if (!consequences) {
		return [stops, 'Looking what is going on …'];
	}

	const {activeRuns, queuedRuns, pendingGroups} = consequences;
	return [
		stops,
		...(pendingGroups > 0
			? [
					`${counted(pendingGroups, 'pending group')} will be dispatched now (${counted(pendingGroups, 'run')} ${pendingGroups === 1 ? 'starts' : 'start'}).`,
				]
			: []),
		...(activeRuns > 0
			? [
					`${counted(activeRuns, 'agent run')} under way: given a few seconds to end; what does not is taken up at the next start, or marked interrupted.`,
				]
			: []),
		...(queuedRuns > 0
			? [`${counted(queuedRuns, 'queued run')}: kept, started by the next svc.`]
			: []),
		...(activeRuns + queuedRuns + pendingGroups === 0
			? ['Nothing is under way, nothing is lost.']
			: []),
	];
}

const counted = (count: number, noun: string): string =>
	`${count} ${noun}${count === 1 ? '' : 's'}`;

/** What is about to be done, and the two keys. */
export const confirmLines = (
	{
		lines,
		act,
		other,
		stay = literal('leave it'),
	}: {
		readonly lines: readonly Safe[];
		readonly act: Safe;
		readonly other?: Pick<MenuItem, 'label'> | undefined;
		readonly stay?: Safe | undefined;
	},
	width: number,
): readonly Line[] => [
	blankLine,
	...lines.flatMap(text => wrapText(text, width - 4).map(row => line(safe`  ${row}`))),
	blankLine,
	[
		{text: literal('  y'), tone: 'accent'},
		{text: safe` ${act}   `},
		...(other
			? ([{text: literal('t'), tone: 'accent'}, {text: safe` ${other.label}   `}] as const)
			: []),
		{text: literal('Esc'), tone: 'accent'},
		{text: safe` ${stay}`},
	],
];

/** A choice under what is said of it; each entry may have a key of its own. */
export function menuLines(
	{
		notes = [],
		items,
		index: chosen,
	}: {
		readonly notes?: readonly Safe[] | undefined;
		readonly items: readonly MenuItem[];
		readonly index: number;
	},
	width: number,
): {readonly rows: readonly Line[]; readonly chosenRow: number} {
	const head = notes.flatMap(note => wrapText(note, width - 4).map(row => line(safe`  ${row}`)));
	const before = [blankLine, ...head, ...(head.length > 0 ? [blankLine] : [])];
	return {
		chosenRow: before.length + chosen,
		rows: [
			...before,
			...items.map(({key, label}, index): Line => {
				const isChosen = index === chosen;
				return [
					{text: isChosen ? literal('> ') : literal('  '), tone: 'accent'},
					{text: fit(clean(key), 3), tone: 'accent'},
					{text: label, tone: isChosen ? 'selected' : 'plain'},
				];
			}),
		],
	};
}

/** What the first start did, what answers, and how to see a first event. */
export function firstRunLines(
	card: FirstRunCard,
	state: GatewayState,
	width: number,
): readonly Line[] {
	const {webhook} = state;
	const {steps, route} = card;
	return [
		blankLine,
		...steps.flatMap(step =>
			wrapText(step, width - 4).map((row, index): Line => [
				{text: index === 0 ? literal(' ✓ ') : literal('   '), tone: 'good'},
				{text: row},
			]),
		),
		blankLine,
		fact(
			literal('Listens'),
			clean(webhook.state === 'listening' ? `${webhook.url}/webhooks/${route}` : webhook.state),
		),
		fact(literal('Model'), modelText(state)),
		blankLine,
		...keysOf(card).map(([key, does]) => hint(clean(key), clean(does))),
	];
}

/** The keys that its last rows tell of. */
export const keysOf = ({
	keys = firstKeys,
}: Pick<FirstRunCard, 'keys'>): NonNullable<FirstRunCard['keys']> => keys;

const firstKeys: NonNullable<FirstRunCard['keys']> = [
	['T', 'sends a signed pull_request event through the port, and shows it'],
	['c', 'copies a curl line that does the same'],
	['s', 'sets up port, secret and a first route'],
	['Enter', 'goes to the traffic'],
];

const factCells = 9;

const fact = (name: Safe, value: Safe): Line => [
	{text: literal('   ')},
	{text: fit(name, factCells), tone: 'title'},
	{text: value},
];

const hint = (key: Safe, does: Safe): Line => [
	{text: literal('   ')},
	{text: fit(key, factCells), tone: 'accent'},
	{text: does},
];

function modelText({model, modelProblem}: GatewayState): Safe {
	if (modelProblem !== undefined) {
		return safe`✗ ${clean(modelProblem)}`;
	}

	return model ? clean(`${model.name} (${model.origin})`) : literal('looking for one…');
}

const keyCells = 16;

/** Every key, those of the open pane first; `query` keeps what holds it; `isReadOnly` strikes out what changes something. */
export function helpLines({sections}: Pane, query: string, isReadOnly = false): readonly Line[] {
	const wanted = query.trim().toLowerCase();
	const groups = Map.groupBy<string, (typeof bindings)[number]>(bindings, ({scope}) => scope);
	const order = [...sections.map(({id}) => id), 'global', ...groups.keys()];
	return [...new Set(order)].flatMap(scope => {
		const title = scopeTitle(scope);
		const rows = (groups.get(scope) ?? []).filter(({keys, label, id}) =>
			`${title} ${keys.join(' ')} ${label} ${id}`.toLowerCase().includes(wanted),
		);
		return rows.length === 0
			? []
			: [
					line(title, 'title'),
					...rows.map(({keys, label, changes}): Line => {
						const isOff = isReadOnly && changes === true;
						return [
							{
								text: safe`  ${fit(clean(keys.join(' ')), keyCells)} `,
								tone: isOff ? 'quiet' : 'accent',
							},
							{text: label, tone: isOff ? 'off' : 'plain'},
							...(isOff ? [{text: literal(' read-only'), tone: 'quiet'} as const] : []),
						];
					}),
					blankLine,
				];
	});
}
