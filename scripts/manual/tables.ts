import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {Command} from 'commander';
import {addCommands} from '../../source/cli/commands/commands.ts';
import type {Context} from '../../source/cli/console/context.ts';
import {senders} from '../../source/config/senders/senders.ts';
import {systemClock} from '../../source/core/clock.ts';
import {contract} from '../../source/gateway/contract/contract.ts';
import {createGatewayMetrics} from '../../source/gateway/status/metrics.ts';
import {errorCodes} from '../../source/manual/error-codes.ts';
import {platformNamed, targetKinds} from '../../source/platforms/platforms.ts';
import {keymapMarkdown} from '../../source/tui/commands/table.ts';
import {panes} from '../../source/tui/panes/panes.ts';
import {createMetrics} from '../../source/webhook/metrics.ts';
import {conversingTable, settingsTable, sharedTable} from './settings-tables.ts';
import {table} from './table.ts';

/** Every table of the manual that is made from a list of the program, by the name that its mark in a page has. */
const tables: Readonly<Record<string, (argument: string) => string>> = {
	settings: path => path.split(' ').map(settingsTable).join('\n\n'),
	sending: () => sharedTable(),
	conversing: () => conversingTable(),
	commands: () => commandsTable(),
	senders: () =>
		table(
			['`signature`', 'What is checked'],
			Object.entries(senders).map(([name, {description}]) => [`\`${name}\``, description]),
		),
	// The page has the heading; its sections stand below that. The identifiers of commands are left to `svc keymap`.
	keys: () =>
		keymapMarkdown()
			.replace(/^# .*\n/, '')
			.replaceAll(/^## /gm, '### ')
			.replaceAll(/^(\|.*\|) [^|]*\|$/gm, '$1')
			.trim(),
	filters: () => filtersTable(),
	metrics: () => metricsTable(),
	targets: () => targetsTable(),
	steps: kind => stepsList(kind),
	control: () =>
		table(
			['Method', 'Path', 'What it does'],
			Object.values(contract).map(({method, path, summary}) => [method, `\`${path}\``, summary]),
		),
	codes: () =>
		table(
			['Code', 'What it means, what to do'],
			// Codes that mean the same share a row, at the place of the first.
			[...Map.groupBy(Object.entries(errorCodes), ([, meaning]) => meaning)].map(
				([meaning, codes]) => [codes.map(([code]) => `\`${code}\``).join(', '), meaning],
			),
		),
};

const mark = /(<!-- table: (\w+) ?([^>]*?) -->\n)[^]*?(<!-- \/table -->)/g;

/** `page` with its tables as the program's lists are now. @throws Error for a mark that names no table */
export const fillTables = (page: string): string =>
	page.replaceAll(mark, (...[, start, name, argument, end]: readonly string[]) => {
		const make = tables[name ?? ''];
		if (!make) {
			throw new Error(`no table is called "${name}"`);
		}

		return `${start}\n${make(argument ?? '')}\n\n${end}`;
	});

/** The words of the filter of each list. */
const filtersTable = (): string =>
	table(
		['List', 'Word', 'What it asks for'],
		panes
			.flatMap(({sections}) => sections)
			.flatMap(({title, listing}) => {
				const {terms, body} = listing?.vocabulary ?? {terms: new Map()};
				return [...terms.values(), ...(body ? [body] : [])].map(({example, says}, index) => [
					index === 0 ? title : '',
					`\`${example}\``,
					says,
				]);
			}),
	);

function commandsTable(): string {
	const program = new Command('svc');
	// Only what is typed is read here; nothing runs.
	addCommands(program, {clock: systemClock} as Context);
	const rowsOf = (command: Command, words: string): string[][] =>
		command.commands
			.filter(one => one.name() !== 'help' && !one.name().startsWith('__'))
			.flatMap(one => {
				const usage = [
					words,
					one.name(),
					...one.registeredArguments.map(argument => {
						const name = argument.name().toUpperCase() + (argument.variadic ? '…' : '');
						return argument.required ? name : `[${name}]`;
					}),
				].join(' ');
				const flags = one.options
					.filter(option => !option.hidden)
					.map(option => `\`${option.flags}\``)
					.join(', ');
				const isGroup = one.commands.length > 0 && one.options.length === 0;
				return [
					...(isGroup
						? []
						: [[`\`${usage}\``, `${one.description()}${flags ? `. ${flags}` : ''}`]]),
					...rowsOf(one, `${words} ${one.name()}`),
				];
			});
	return table(['Command', 'What it does'], rowsOf(program, 'svc'));
}

/** The values of `deliver`, each with its page. */
function targetsTable(): string {
	const rows = targetKinds.map(({kind, aliases = []}) => {
		const page = `delivery-${kind.replaceAll('_', '-')}.md`;
		const text = readFileSync(join('source', 'manual', page), 'utf8');
		const names = [kind, ...aliases].map(name => `\`${name}\``).join(', ');
		return [names, `[${/^# (.*)$/m.exec(text)?.[1] ?? page}](${page})`];
	});
	return table(['`deliver`', 'Its page'], rows);
}

/** How a person gets what the settings of a platform need. */
const stepsList = (kind: string): string =>
	(platformNamed(kind)?.setUp ?? []).map(step => `- ${step}`).join('\n');

/** What `/metrics` says of itself. */
function metricsTable(): string {
	const webhook = createMetrics();
	const text =
		webhook.render({inFlight: 0, connections: 0}) +
		createGatewayMetrics().render({
			state: {
				jobs: [],
				totals: {accepted: 0, runsDone: 0, runsFailed: 0},
				servers: [],
				approvals: [],
			} as never,
			now: 0,
			journal: {notesDropped: 0, commitP50Ms: 0, commitP99Ms: 0},
			queue: {
				waits: {worker: 0, rateLimit: 0, login: 0, retry: 0},
				places: {taken: 0, all: 0},
			},
			active: 0,
			pendingGroups: 0,
		});
	const rows = [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\w+)$/gm)].map(
		([, name, help, type]) => [`\`${name}\``, type ?? '', help ?? ''],
	);
	return table(['Name', 'Type', 'Meaning'], rows);
}
