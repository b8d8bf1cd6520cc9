import {referencesIn} from '../../config/references.ts';
import {insecureSecret, writtenSecrets} from '../../config/route-refusals.ts';
import type {Route, FilterSpec} from '../../config/route.ts';
import type {ToolsetsConfig} from '../../config/toolset-settings.ts';
import {deferralOf} from '../../core/deferral.ts';
import {isJsonObject, type JsonValue} from '../../core/json.ts';
import type {RouteFacts} from '../../core/route-editor.ts';
import type {ServerView} from '../../core/tool-server.ts';
import {selectTools, serverToolset, type Toolset} from '../../core/toolsets.ts';
import {escapeBlock, escapeLine} from '../../core/untrusted.ts';
import {mayChange, type ListedServer} from '../../nouns/server/server.ts';
import {builtInToolsets, ownToolset} from '../../tools/toolsets.ts';

const maxPrompt = 4000;

/** Describes a route for a person, without secrets. `entry`: the route as written. `toolsets`: those of the route, or of the job that it fires. */
export function explainRoute(
	route: Route,
	options: {
		readonly entry: JsonValue | undefined;
		readonly toolsets: readonly string[] | undefined;
		/** The servers of all profiles. */
		readonly servers: readonly ServerView[];
		readonly settings: ToolsetsConfig;
		/** The setting `tools.max_schema_tokens`. */
		readonly maxSchemaTokens: number;
	},
): RouteFacts {
	const {entry, toolsets, servers, settings, maxSchemaTokens} = options;
	const {prompt, filters, rateLimit, retiredSecrets, rotatedOn, deliverOnly, profile} = route;
	const own = servers.filter(server => server.profile === profile && server.status !== 'skipped');
	const {tools, unknownServers, notes} = toolsOf(deliverOnly ? [] : toolsets, {
		servers: own,
		settings,
		maxSchemaTokens,
	});
	return {
		rateLimit,
		secret: secretText(entry),
		...(rotatedOn !== undefined && {secretSince: Date.parse(rotatedOn)}),
		formerSecretsUntil: retiredSecrets.map(({until}) => until),
		...(prompt !== undefined && {
			prompt: escapeBlock(prompt, {maxLength: maxPrompt}),
			promptLength: prompt.length,
		}),
		filters: filterLines(filters),
		tools,
		unknownServers,
		notes,
	};
}

/** The tools that runs get from `servers`, as far as known without connecting. `deferred`: says that their schemas are deferred, and how many. */
export function toolsOf(
	toolsets: readonly string[] | undefined,
	options: {
		readonly servers: readonly ListedServer[];
		readonly settings: ToolsetsConfig;
		readonly maxSchemaTokens: number;
	},
): Pick<RouteFacts, 'tools' | 'unknownServers' | 'notes'> & {readonly deferred?: string} {
	const {servers, settings, maxSchemaTokens} = options;
	// A server that was never connected is represented by one tool whose name no tool can have.
	const ofServers = servers
		// "When filtering removes all server-native tools and no utility tool is registered, no runtime toolset is created." See manual/tool-servers.md#which-tools-a-server-offers
		.filter(server => !isKnown(server) || server.tools.length > 0)
		.map(server => {
			const {name, tools} = server;
			const facts: readonly Given[] = isKnown(server)
				? tools.map(tool => ({
						name: tool.name,
						changes: mayChange(tool),
						asks: tool.asks,
						tokens: tool.tokens ?? 0,
						server: name,
						isKnown: true,
					}))
				: [
						{
							name: ` ${name}`,
							changes: false,
							asks: false,
							tokens: 0,
							server: name,
							isKnown: false,
						},
					];
			return serverToolset([name, facts]);
		});
	const ofOurs = builtInToolsets.map(({name, offers}): Toolset<Given> => ({
		...ownToolset(name, settings),
		tools: offers(settings).map(({name: tool, readOnly, asks}) => ({
			name: tool,
			changes: !readOnly,
			asks,
			tokens: 0,
			isKnown: true,
		})),
	}));
	const {tools, warnings} = selectTools(toolsets, [...ofServers, ...ofOurs]);
	const deferred = deferralOf(
		tools
			.filter(tool => tool.isKnown)
			.map(({server, tokens}) => ({isOfServer: server !== undefined, tokens})),
		maxSchemaTokens,
	);
	return {
		tools: tools
			.filter(tool => tool.isKnown)
			.map(({name, server, changes, asks}) => ({
				name: escapeLine(name, 64),
				...(server !== undefined && {server: escapeLine(server, 64)}),
				changes,
				asks,
			})),
		unknownServers: tools.flatMap(({server, isKnown: known}) =>
			known || server === undefined ? [] : [escapeLine(server, 64)],
		),
		notes: [
			...warnings.map(text => escapeLine(text)),
			...withoutSandbox(toolsets, settings),
			...(deferred === undefined ? [] : [deferred]),
		],
		...(deferred !== undefined && {deferred}),
	};
}

/** One sentence for all of these toolsets that run without a sandbox. */
function withoutSandbox(
	names: readonly string[] = [],
	settings: ToolsetsConfig,
): readonly string[] {
	const open = (['terminal', 'file'] as const).filter(
		name => names.includes(name) && settings[name].open !== undefined,
	);
	const [why] = open.map(name => settings[name].open);
	return why === undefined
		? []
		: [
				escapeLine(
					`${open.join(' and ')} ${open.length === 1 ? 'works' : 'work'} without a sandbox, and each call asks: ${why}`,
					500,
				),
			];
}

/** Whether the server has been connected with its present configuration. */
const isKnown = ({tools, savedAt, protocol}: ListedServer): boolean =>
	tools.length > 0 || savedAt !== undefined || protocol !== undefined;

type Given = {
	readonly name: string;
	readonly changes: boolean;
	/** Tokens of its definition; 0 when unknown. */
	readonly tokens: number;
	readonly asks: boolean;
	/** Absent for a tool of svc itself. */
	readonly server?: string;
	readonly isKnown: boolean;
};

/** Where the secret comes from, and how long it is. */
function secretText(entry: JsonValue | undefined): string {
	const written = isJsonObject(entry) ? entry['secret'] : undefined;
	if (written === undefined || written === null) {
		return 'that of all routes, platforms.webhook.secret';
	}

	const secrets = writtenSecrets([written].flat().filter(text => typeof text === 'string'));
	return `its own: ${secrets
		.map(text => {
			const names = referencesIn(text);
			if (text === insecureSecret) {
				return text;
			}

			return names.length > 0 ? `from ${names.join(', ')}` : `${Buffer.byteLength(text)} bytes`;
		})
		.join(', or ')}`;
}

const maxLines = 40;
const maxLength = 200;

/** Formats filters for a person, one condition per line, nested groups indented: `action in ["opened","edited"]`. Texts are cleaned and cut at 200 characters; at most 40 lines. */
export function filterLines(filters: readonly FilterSpec[]): readonly string[] {
	const lines = filters.flatMap(filter => linesOf(filter, ''));
	return lines.length <= maxLines
		? lines
		: [...lines.slice(0, maxLines), `and ${lines.length - maxLines} more lines`];
}

function linesOf(filter: FilterSpec, indent: string): readonly string[] {
	const {field, all, any, not, ...operators} = filter;
	const said = (text: string) => `${indent}${escapeLine(text, maxLength)}`;
	const conditions = Object.entries(operators).map(([name, value]) => {
		const subject = field ?? '?';
		const word = name.replaceAll('_', ' ');
		return value === true && (name === 'exists' || name === 'missing')
			? said(`${subject} ${name === 'exists' ? 'is there' : 'is missing'}`)
			: said(`${subject} ${word} ${JSON.stringify(value)}`);
	});
	const group = (title: string, members: FilterSpec | readonly FilterSpec[] | undefined) =>
		members === undefined
			? []
			: [said(title), ...[members].flat().flatMap(member => linesOf(member, `${indent}  `))];
	return [...conditions, ...group('all of', all), ...group('any of', any), ...group('not', not)];
}
