import {notedSchemaJson} from '../../source/config/config-schema-json.ts';
import {isJsonObject, type JsonObject, type JsonValue} from '../../source/core/json.ts';
import {conversing} from '../../source/platforms/conversing.ts';
import {platformKinds} from '../../source/platforms/platforms.ts';
import {jobSchemaJson} from '../../source/schedule/job.ts';
import {table} from './table.ts';

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

export const settingsTable = (path: string): string =>
	platformKinds.some(({kind}) => path === `platforms.${kind}`)
		? platformTable(path.replace('platforms.', ''))
		: settingsTableOf(schemaAt(path), path.includes('.') || isSection(path) ? [] : [path]);

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

export const sharedTable = (): string => tableOfSettings(sharedRows());

export const conversingTable = (): string => tableOfSettings(conversingRows());

const platformRows = (kind: string): string[][] => settingRows(schemaAt(`platforms.${kind}`), []);

/** The settings that all platforms have in common. */
function sharedRows(): string[][] {
	const all = platformKinds.map(({kind}) => platformRows(kind).map(row => row.join('|')));
	return platformRows(platformKinds[0]?.kind ?? '').filter(row =>
		all.every(rows => rows.includes(row.join('|'))),
	);
}

/** The settings that platforms on which people can talk have in common. */
const conversingRows = (): string[][] =>
	platformRows(platformKinds.find(({listens}) => listens)?.kind ?? '').filter(
		([key = '']) => key.slice(1, -1) in conversing,
	);

/** The settings of one platform; those that others have, too, stand on pages of their own, which it names. */
function platformTable(kind: string): string {
	const rows = platformRows(kind);
	const pages = [
		[sharedRows(), 'Settings of [every platform](delivery.md#platforms)'],
		[conversingRows(), 'Settings of [conversations](conversations.md#settings)'],
	] as const;
	const linked = pages.map(([those, link]) => {
		const texts = new Set(those.map(row => row.join('|')));
		return [rows.filter(row => texts.has(row.join('|'))), link] as const;
	});
	const others = new Set(linked.flatMap(([those]) => those));
	return tableOfSettings([
		...rows.filter(row => !others.has(row)),
		...linked
			.filter(([those]) => those.length > 0)
			.map(([those, link]) => [those.map(([key]) => key).join(', '), '', link, atOnce]),
	]);
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
