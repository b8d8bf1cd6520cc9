import type {RemoteEndpoint, StdioEndpoint, ToolServerConfig} from '../../config/tool-server.ts';
import {hostRuleText} from '../../core/hosts.ts';
import type {ServerToolView, ServerView} from '../../core/tool-server.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {World} from '../../core/world.ts';
import type {ServerFacts} from '../catalogue/server-facts.ts';
import type {ServerState} from '../connection/state.ts';
import {oauthSettingsOf} from '../oauth/oauth-settings.ts';
import type {LoginFacts} from '../wire/server-login.ts';

const maxWarnings = 20;

/** The parts of a view, with servers' texts unescaped. */
export type ViewParts = {
	readonly server: ToolServerConfig;
	readonly profile: string;
	readonly state: ServerState;
	/** From the last connection, or the cache. */
	readonly facts: ServerFacts | undefined;
	readonly tools: readonly ServerToolView[];
	readonly offered: number;
	readonly stderr?: string | undefined;
	readonly pingMs?: number | undefined;
	readonly activeCalls: number;
	/** The login presented last. */
	readonly login?: LoginFacts | undefined;
	readonly warnings: readonly string[];
};

/** A server for faces. Pure, except for the time. */
export function viewServer(
	parts: ViewParts,
	{clock, redact}: Pick<World, 'clock' | 'redact'>,
): ServerView {
	const {server, state, facts, stderr, pingMs} = parts;
	const clean = (text: string, length: number) => escapeLine(redact(text), length);
	const wallTime = (time: number) => Math.round(clock.now() + time - clock.monotonic());
	const reason = 'reason' in state ? state.reason : undefined;
	const era = facts?.era === 'modern' ? 'stateless' : 'legacy';
	return {
		// The name identifies the server, so is not cut: two long names must stay distinct.
		name: server.name,
		profile: parts.profile,
		transport: server.endpoint.transport,
		status: state.status,
		since: wallTime(state.since),
		endpoint: clean(endpointText(server.endpoint), 500),
		trust: server.trust,
		...sandboxOf(server, clean),
		...(facts && {protocol: clean(`${era} ${facts.version}`, 40)}),
		...(facts?.serverInfo !== undefined && {serverInfo: clean(facts.serverInfo, 100)}),
		tools: parts.tools,
		offered: parts.offered,
		...filterOf(server),
		...(reason !== undefined && {reason: clean(reason, 500)}),
		...('nextAttemptAt' in state && {nextAttemptAt: wallTime(state.nextAttemptAt)}),
		...(stderr !== undefined && {stderr: clean(stderr, 300)}),
		...(pingMs !== undefined && state.status === 'connected' && {pingMs: Math.round(pingMs)}),
		activeCalls: parts.activeCalls,
		...loginOf(parts, clean),
		warnings: parts.warnings.slice(0, maxWarnings).map(warning => clean(warning, 300)),
	};
}

/** Facts about a login belong to the connection that used it. */
function loginOf({server, login}: ViewParts, clean: Clean): Pick<ServerView, 'login'> {
	const settings = oauthSettingsOf(server);
	if (!settings) {
		return {};
	}

	const {expiresAt, issuer, scope} = login ?? {};
	const host = issuer === undefined ? undefined : URL.parse(issuer)?.host;
	const shown = {
		flow: settings.flow,
		stored: login !== undefined,
		...(expiresAt !== undefined && {expiresAt}),
		...(host !== undefined && {issuer: clean(host, 300)}),
		...(scope !== undefined && {scope: clean(scope, 500)}),
	};
	return {login: shown};
}

type Clean = (text: string, length: number) => string;

/** The lists as written, with references. */
function sandboxOf({endpoint}: ToolServerConfig, clean: Clean): Pick<ServerView, 'sandbox'> {
	if (endpoint.transport !== 'stdio' || !endpoint.sandbox) {
		return {};
	}

	const {read, write, hosts} = endpoint.sandbox;
	const lists = Object.entries({read, write, hosts: hosts.map(hostRuleText)})
		.filter(([, {length}]) => length > 0)
		.map(([list, texts]) => `${list} ${texts.join(', ')}`);
	return {sandbox: clean(lists.join('; ') || "the system's folders alone, no hosts", 500)};
}

const endpointText = (endpoint: StdioEndpoint | RemoteEndpoint): string =>
	endpoint.transport === 'stdio'
		? [endpoint.command, ...endpoint.args].map(quoted).join(' ')
		: endpoint.url;

const quoted = (word: string): string => (/^[^\s"']+$/.test(word) ? word : JSON.stringify(word));

function filterOf({tools: {include, exclude}}: ToolServerConfig): {readonly filter?: string} {
	const list = (include ?? exclude).join(', ');
	const text = escapeLine(`${include ? 'include' : 'exclude'} [${list}]`, 300);
	return include || exclude.length > 0 ? {filter: text} : {};
}
