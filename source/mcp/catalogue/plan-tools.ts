import type {Tool as ListedTool} from '@modelcontextprotocol/client';
import type {ToolServerConfig, ToolsPolicy} from '../../config/tool-server.ts';
import {isDeepJson, jsonHash, type JsonObject} from '../../core/json.ts';
import {orElse} from '../../core/or-else.ts';
import {type AskedTool, type FromServer, maxToolDescriptionLength} from '../../core/tool.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {visibleText} from '../../core/visible-text.ts';
import {askAbout, claimsOf} from './ask-about.ts';
import {definitionChanges} from './definition-changes.ts';
import {matchesGlob} from './match-glob.ts';
import type {KnownTools} from './pins.ts';
import {cleanSchema} from './schema.ts';
import {definitionOf, definitionText} from './tool-definition.ts';
import {nameTools} from './tool-names.ts';
import {describeUtility, utilitiesOf, type UtilityKind} from './utility-tools.ts';

/** A tool as registered. */
export type PlannedTool = {
	/** The name for models: at most 64 characters of `A-Za-z0-9_`. */
	readonly name: string;
	/** The server's own name, raw; for utility tools their kind. */
	readonly tool: string;
	readonly kind: 'native' | UtilityKind;
	/** The server's original description of the tool; absent for utility tools. */
	readonly listed?: ListedTool;
	/** For models: without hidden characters, at most `maxToolDescriptionLength`. */
	readonly description: string;
	/** The full description, for people. */
	readonly fullDescription: string;
	/** The schema for models; never sent to the server. */
	readonly inputSchema: JsonObject;
	/** The tool claims to change nothing, so calls may be repeated. On an untrusted server only if it claimed so when its definition was first seen or accepted. */
	readonly readOnly: boolean;
	/** A person must approve each call. */
	readonly needsApproval: boolean;
	readonly asked: AskedTool & {readonly from: FromServer};
};

/** The result of `planTools`. */
export type ToolPlan = {
	/** Ordered by name. Empty: the server has no toolset. */
	readonly tools: readonly PlannedTool[];
	/** For `ServerView.warnings`: one escaped line each, at most 20. */
	readonly warnings: readonly string[];
	/** How many tools the server itself offers, before filtering. */
	readonly offered: number;
	/** Names of its tools, including those they would have without collisions: part of `taken` for other servers. */
	readonly reserved: ReadonlySet<string>;
};

export type ToolsToPlan = {
	readonly server: ToolServerConfig;
	readonly profile: string;
	readonly listed: readonly ListedTool[];
	/** What the session supports. */
	readonly capabilities: {readonly resources: boolean; readonly prompts: boolean};
	/** `pins.knownOf(profile, server.name)` */
	readonly known: KnownTools;
	/**
	 * `reserved` of all other servers, and names of built-in tools. A tool with such a name gets a hash suffix. Plan the other server again with this one's
	 * `reserved`: the result then does not depend on which connected first.
	 */
	readonly taken: ReadonlySet<string>;
};

const maxDescriptionLength = 8000;
const maxWarnings = 20;

/**
 * Decides which tools of a server are registered, their names, and which need approval. Pure and deterministic.
 *
 * @see manual/tool-servers.md#settings, manual/tool-servers.md#which-tools-a-server-offers, manual/tool-servers.md#states
 */
export function planTools(offer: ToolsToPlan): ToolPlan {
	const {server, listed, capabilities, taken} = offer;
	const selection = filterTools(listed, server.tools);
	const utilities = utilitiesOf(server, capabilities);
	const {names, collided, reserved} = nameTools(
		server.name,
		[
			...selection.tools.map(({name}) => ({key: keyOf('native', name), tool: name})),
			...utilities.map(kind => ({key: keyOf(kind, kind), tool: kind})),
		],
		taken,
	);
	const owner = {...offer, names};
	const natives = selection.tools.map(tool => planNative(tool, owner));
	const tools = [
		...natives.map(({tool}) => tool),
		...utilities.map(kind => planUtility(kind, owner)),
	];
	const changed = tools.filter(({asked}) => asked.changed);
	const cuts = tools.filter(({description, fullDescription}) => description !== fullDescription);
	const lost = natives.flatMap(({tool, lost: left}) => left.map(name => `${tool.tool}: ${name}`));
	return {
		tools: tools.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
		warnings: [
			...warnOf('changed since first seen or accepted', ownNames(changed)),
			...warnOf('same name as another tool, a hash tells them apart', collided),
			...warnOf('arguments with names that models cannot use, left out', lost),
			...warnOf(
				`description above ${maxToolDescriptionLength} characters, cut for models`,
				ownNames(cuts),
			),
			...selection.warnings,
		].slice(0, maxWarnings),
		offered: listed.length,
		reserved,
	};
}

type Owner = Pick<ToolsToPlan, 'server' | 'profile' | 'known'> & {
	readonly names: ReadonlyMap<string, string>;
};

const keyOf = (kind: PlannedTool['kind'], tool: string): string => `${kind} ${tool}`;

const ownNames = (tools: readonly PlannedTool[]): readonly string[] => tools.map(({tool}) => tool);

function planNative(
	listed: ListedTool,
	{server, profile, known, names}: Owner,
): {readonly tool: PlannedTool; readonly lost: readonly string[]} {
	const tool = listed.name;
	const name = names.get(keyOf('native', tool)) ?? '';
	const definition = definitionOf(listed);
	const pinned = known.definitions.get(tool);
	const changed = pinned === undefined ? !known.trustsNewTools : pinned !== definition;
	const before = changed ? known.texts?.get(tool) : undefined;
	const changes =
		before === undefined ? undefined : definitionChanges(before, definitionText(listed));
	const claims = claimsOf(listed);
	// An untrusted server cannot bypass an approval by changing its claim later.
	const readOnly = claims.readOnly === true && (server.trust === 'full' || !changed);
	const fullDescription = descriptionOf(listed, server.name);
	const {schema, lost} = cleanSchema(listed.inputSchema);
	return {
		tool: {
			name,
			tool,
			kind: 'native',
			listed,
			description: cut(fullDescription),
			fullDescription,
			inputSchema: schema,
			readOnly,
			needsApproval: server.trust === 'untrusted' && !readOnly,
			asked: askAbout(server, profile, {
				tool,
				name,
				definition,
				changed,
				...(changes && {changes}),
				description: listed.description ?? '',
				inputSchema: listed.inputSchema,
				claims,
			}),
		},
		lost,
	};
}

/** Utility tools are read-only on every server. */
function planUtility(kind: UtilityKind, {server, profile, names}: Owner): PlannedTool {
	const name = names.get(keyOf(kind, kind)) ?? '';
	const {description, inputSchema} = describeUtility(kind, server.name);
	return {
		name,
		tool: kind,
		kind,
		description,
		fullDescription: description,
		inputSchema,
		readOnly: true,
		needsApproval: false,
		asked: askAbout(server, profile, {
			tool: kind,
			name,
			definition: jsonHash({name: kind, description, inputSchema}),
			changed: false,
			description,
			inputSchema,
			claims: {readOnly: true},
		}),
	};
}

function descriptionOf({description, title, name}: ListedTool, server: string): string {
	const text = visibleText((description || title || '').slice(0, maxDescriptionLength)).trim();
	return text || `Tool "${escapeLine(name, 100)}" of tool server "${server}"`;
}

/** Never cuts a surrogate pair. */
const cut = (text: string): string =>
	text.length <= maxToolDescriptionLength
		? text
		: `${text.slice(0, maxToolDescriptionLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;

const maxTools = 500;
const maxNameLength = 256;
const maxSchemaLength = 256 * 1024;
const maxToolLength = 1024 * 1024;

/** The registered tools under the server's own names, and warnings about the others. */
type Selection = {
	readonly tools: readonly ListedTool[];
	readonly warnings: readonly string[];
};

/**
 * Applies a server's filter to its list, by original names; `include` wins. Of tools with equal names the first counts. Tools that are too large or too deeply
 * nested for models, and those after the first 500, are left out with a warning.
 *
 * @see manual/tool-servers.md#which-tools-a-server-offers
 */
function filterTools(listed: readonly ListedTool[], policy: ToolsPolicy): Selection {
	const byName = Map.groupBy(listed, ({name}) => name);
	const wanted = [...byName.values()]
		.flatMap(some => some.slice(0, 1))
		.filter(({name}) => passes(name, policy))
		.toSorted((a, b) => (a.name < b.name ? -1 : 1));
	const refused = wanted.filter(tool => !isUsable(tool));
	const usable = wanted.filter(tool => !refused.includes(tool));
	const repeated = [...byName].flatMap(([name, some]) => (some.length > 1 ? [name] : []));
	const unmatched = policy.include?.filter(
		pattern => ![...byName.keys()].some(name => matchesGlob(name, pattern)),
	);
	return {
		tools: usable.slice(0, maxTools),
		warnings: [
			...warnOf('listed more than once, the first counts', repeated),
			...warnOf('left out, larger or deeper than allowed', namesOf(refused)),
			...warnOf(`left out, more than ${maxTools} tools`, namesOf(usable.slice(maxTools))),
			...warnOf('in include, but the server has no such tool', unmatched ?? []),
		],
	};
}

const passes = (name: string, {include, exclude}: ToolsPolicy): boolean =>
	include
		? include.some(pattern => matchesGlob(name, pattern))
		: !exclude.some(pattern => matchesGlob(name, pattern));

const namesOf = (tools: readonly ListedTool[]) => tools.map(({name}) => name);

function isUsable(tool: ListedTool): boolean {
	if (tool.name === '' || tool.name.length > maxNameLength) {
		return false;
	}

	const whole = jsonOf(tool);
	return (
		whole.length <= maxToolLength &&
		!isDeepJson(whole) &&
		jsonOf(tool.inputSchema).length <= maxSchemaLength &&
		jsonOf(tool.outputSchema).length <= maxSchemaLength
	);
}

/** Exceeds every limit if the value cannot be serialized. */
const jsonOf = (value: unknown): string =>
	orElse(() => JSON.stringify(value) ?? '', ' '.repeat(maxToolLength + 1));

/** One line with the first five names, or none. */
const warnOf = (what: string, names: readonly string[]): readonly string[] => {
	const first = names.slice(0, 5).map(name => `"${escapeLine(name, 60)}"`);
	const more = names.length > first.length ? ` and ${names.length - first.length} more` : '';
	return names.length > 0 ? [`${first.join(', ')}${more}: ${what}`] : [];
};
