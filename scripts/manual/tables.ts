import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {Command} from 'commander';
import {addCommands} from '../../source/cli/commands/commands.ts';
import type {Context} from '../../source/cli/console/context.ts';
import {notedSchemaJson} from '../../source/config/config-schema-json.ts';
import {senders} from '../../source/config/senders/senders.ts';
import {systemClock} from '../../source/core/clock.ts';
import {isJsonObject, type JsonObject, type JsonValue} from '../../source/core/json.ts';
import {contract} from '../../source/gateway/contract/contract.ts';
import {createGatewayMetrics} from '../../source/gateway/status/metrics.ts';
import {errorCodes} from '../../source/manual/error-codes.ts';
import {conversing} from '../../source/platforms/conversing.ts';
import {platformKinds, platformNamed, targetKinds} from '../../source/platforms/platforms.ts';
import {jobSchemaJson} from '../../source/schedule/job.ts';
import {keymapMarkdown} from '../../source/tui/commands/table.ts';
import {panes} from '../../source/tui/panes/panes.ts';
import {createMetrics} from '../../source/webhook/metrics.ts';

/** Every table of the manual that is made from a list of the program, by the name that its mark in a page has. */
const tables: Readonly<Record<string, (argument: string) => string>> = {
	settings: path => path.split(' ').map(settingsTable).join('\n\n'),
	conversing: () => conversingTable(),
	commands: () => commandsTable(),
	senders: () =>
		table(
			['`signature`', 'What is checked'],
			Object.entries(senders).map(([name, {description}]) => [`\`${name}\``, description]),
		),
	// The page has the heading; its sections stand below that.
	keys: () =>
		keymapMarkdown()
			.replace(/^# .*\n/, '')
			.replaceAll(/^## /gm, '### ')
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
			Object.entries(Object.groupBy(Object.entries(errorCodes), ([, meaning]) => meaning)).map(
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

const table = (head: readonly string[], rows: ReadonlyArray<readonly string[]>): string =>
	[head, head.map(() => '---'), ...rows]
		.map(cells => `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`)
		.join('\n');

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

/** Where the schema of a section stands: `route`, `mcp_servers`, `approval-rule`, `approval-chat` and `alert` mean one of them. */
function schemaAt(path: string): JsonObject {
	if (path === 'job') {
		return jobSchemaJson();
	}

	const root = notedSchemaJson();
	const [first = '', ...keys] = path.split('.');
	const named = {
		route: 'route',
		mcp_servers: 'tool_server',
		'approval-rule': 'approval_rule',
		'approval-chat': 'approvalChat',
		alert: 'alert',
	}[first];
	const start =
		named === undefined
			? objectIn(objectIn(root['properties'])[first])
			: objectIn(objectIn(root['$defs'])[named]);
	return keys.reduce(
		(schema, key) =>
			objectIn(key === '*' ? schema['additionalProperties'] : objectIn(schema['properties'])[key]),
		start,
	);
}

/** The alternative of a schema that is a mapping with known keys, references followed. */
function objectIn(schema: JsonValue | undefined): JsonObject {
	if (!isJsonObject(schema)) {
		return {};
	}

	const alternatives = Array.isArray(schema['anyOf']) ? schema['anyOf'] : [];
	return (
		alternatives
			.filter(isJsonObject)
			.find(one => one['properties'] ?? isJsonObject(one['additionalProperties'])) ?? schema
	);
}

const settingsTable = (path: string): string =>
	settingsTableOf(schemaAt(path), path.includes('.') || isSection(path) ? [] : [path]);

/** The settings that a schema (as `notedSchemaJson` makes it) describes, one row each. */
export const settingsTableOf = (schema: JsonObject, path: readonly string[] = []): string =>
	tableOfSettings(settingRows(schema, path));

/** Where every change counts at once, the page "Configuration" says so, not each row. */
const tableOfSettings = (rows: ReadonlyArray<readonly string[]>): string =>
	rows.every(([, , , change]) => change === atOnce)
		? table(
				['Key', 'Default', 'Meaning'],
				rows.map(row => row.slice(0, 3)),
			)
		: table(['Key', 'Default', 'Meaning', 'A change'], rows);

/** The settings that platforms on which people can talk have in common. */
function conversingTable(): string {
	const platform = platformKinds.find(({listens}) => listens)?.kind ?? '';
	const rows = settingRows(schemaAt(`platforms.${platform}`), []);
	const known = new Set(Object.keys(conversing).map(key => `\`${key}\``));
	return tableOfSettings(rows.filter(([key = '']) => known.has(key)));
}

const isSection = (path: string): boolean =>
	[
		'route',
		'mcp_servers',
		'approval-rule',
		'approval-chat',
		'alert',
		'job',
		'model',
		'runs',
	].includes(path);

/** Settings that a page of its own describes. */
const elsewhere = new Set(['routes', 'signature']);

/** A second place for settings that are listed; a sentence of the page says so. */
const repeated = new Set(['extra', 'lifecycle']);

const atOnce = 'at once';

const changes: Readonly<Record<string, string>> = {
	reconnect: 'reconnects',
	restart: 'after a restart',
};

/** What a change needs, unless the setting itself says otherwise, is what the mapping around it says. */
function settingRows(schema: JsonObject, path: readonly string[], inherited = ''): string[][] {
	const properties = objectIn(schema)['properties'];
	if (!isJsonObject(properties)) {
		return [];
	}

	const listed = Object.entries(properties).filter(([key]) => !repeated.has(key));
	return listed.flatMap(([key, value]) => {
		const setting = isJsonObject(value) ? value : {};
		const change = typeof setting['x-change'] === 'string' ? setting['x-change'] : inherited;
		const inner = elsewhere.has(key) ? [] : settingRows(setting, [...path, key], change);
		const own = [
			`\`${[...path, key].join('.')}\``,
			setting['default'] === undefined ? '' : `\`${JSON.stringify(setting['default'])}\``,
			typeof setting['description'] === 'string' ? setting['description'] : '',
			changes[change] ?? atOnce,
		];
		return inner.length > 0 ? inner : [own];
	});
}

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
