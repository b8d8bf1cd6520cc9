import {isJsonObject, type JsonObject} from '../core/json.ts';
import {problemWithHeader} from '../core/schema-parts.ts';
import {escapeLine} from '../core/untrusted.ts';
import type {Config} from './config.ts';
import {mapTexts} from './plain-data.ts';
import {
	contextVariables,
	expandReferences,
	type ExpandedText,
	type ReferenceScope,
} from './server-references.ts';
import {holdsSecret, serverSecrets} from './server-secrets.ts';
import {problemWithUrl} from './tool-server-problems.ts';
import type {RemoteEndpoint, StdioEndpoint, ToolServerConfig} from './tool-server.ts';

/** A server that can be connected to, or one sentence without secrets on why not. */
export type ExpandedServer =
	| {
			readonly ok: true;
			readonly server: ToolServerConfig;
			/** Texts of the server that must never be shown. */
			readonly secrets: readonly string[];
	  }
	| {readonly ok: false; readonly message: string};

/**
 * Replaces the references of a server, and `~` in paths of certificates. Call it at every connect, so that changed variables take effect, and do not keep the result. An
 * unset variable keeps its placeholder, except in `url` and `headers`, where the result is an error.
 *
 * @see manual/tool-servers.md#variable-references, manual/tool-servers.md#states
 */
export function expandServer(server: ToolServerConfig, scope: ReferenceScope): ExpandedServer {
	const texts = createExpander(scope);
	const {endpoint} = server;
	const expanded: ToolServerConfig = {
		...server,
		endpoint:
			endpoint.transport === 'stdio'
				? expandProgram(endpoint, texts)
				: expandRemote(endpoint, texts),
		tools: {
			...server.tools,
			...(server.tools.include && {include: server.tools.include.map(texts.plain)}),
			exclude: server.tools.exclude.map(texts.plain),
		},
		sampling: {
			...server.sampling,
			...(server.sampling.model && {model: texts.plain(server.sampling.model)}),
			allowedModels: server.sampling.allowedModels.map(texts.plain),
		},
	};
	const message = problemWith(expanded, texts.missing());
	return message === undefined
		? {ok: true, server: expanded, secrets: texts.secretsWith(serverSecrets(expanded))}
		: {ok: false, message: `MCP server '${server.name}': ${message}`};
}

/** All texts of a configuration that must not be shown, including those of tool servers with references replaced, for every profile. */
export function secretsOfConfig(
	given: Pick<Config, 'secretValues' | 'toolServers' | 'profiles' | 'toolsets'>,
): readonly string[] {
	const {secretValues, toolServers, profiles, toolsets} = given;
	if (toolServers.size === 0) {
		return secretValues;
	}

	const found = new Set(secretValues);
	for (const {environment} of [profiles.of('default'), ...profiles.others]) {
		const scope = {environment, context: contextVariables(environment, toolsets.terminal.workdir)};
		for (const server of toolServers.values()) {
			const expanded = expandServer(server, scope);
			for (const secret of expanded.ok ? expanded.secrets : []) {
				found.add(secret);
			}
		}
	}

	return [...found];
}

type Expander = ReturnType<typeof createExpander>;

const maxVariableLength = 200;

/** Variables that every process may know: their values are not secret. */
const known = /^(?:PATH|HOME|USER|LOGNAME|LANG|LC_\w+|TERM|SHELL|TMPDIR|PWD|XDG_\w+)$/;

/** Expands texts one by one, and collects the secrets in them and the first missing required variable. */
function createExpander(scope: ReferenceScope) {
	const secrets = new Set<string>();
	const incomplete = new Set<string>();
	let missing: string | undefined;
	const expand = (
		text: string,
		isSecret: (name: string, value: string) => boolean,
	): ExpandedText => {
		const expanded = expandReferences(text, scope);
		if (expanded.unset.length > 0) {
			incomplete.add(expanded.text);
		}

		for (const {name, value} of expanded.used) {
			if (value.trim() !== '' && !known.test(name) && isSecret(name, value)) {
				secrets.add(value);
			}
		}

		return expanded;
	};

	const plain = (text: string) => expand(text, holdsSecret).text;
	return {
		plain,
		/** Expands a text; every value of a variable in it is a secret. */
		secret: (text: string) => expand(text, () => true).text,
		/** Expands a text whose variables are all required. */
		complete(text: string, {isSecret}: {readonly isSecret: boolean}) {
			const expanded = expand(text, (name, value) => isSecret || holdsSecret(name, value));
			missing ??= expanded.unset[0];
			return expanded.text;
		},
		path(text: string) {
			const expanded = plain(text);
			return /^~(?=\/|$)/.test(expanded) ? scope.context.userHome + expanded.slice(1) : expanded;
		},
		/** Secrets that came from variables, and those of `more` except texts with unset references: the placeholder in such a text must stay readable. */
		secretsWith: (more: readonly string[]): readonly string[] => [
			...secrets.union(new Set(more).difference(incomplete)),
		],
		/** The first required variable that is not set. */
		missing: () => missing,
	};
}

const expandProgram = (endpoint: StdioEndpoint, texts: Expander): StdioEndpoint => ({
	...endpoint,
	command: texts.plain(endpoint.command),
	args: endpoint.args.map(texts.plain),
	env: mapValues(endpoint.env, texts.secret),
	...(endpoint.sandbox && {
		sandbox: {
			...endpoint.sandbox,
			read: endpoint.sandbox.read.map(path => texts.path(path)),
			write: endpoint.sandbox.write.map(path => texts.path(path)),
		},
	}),
});

function expandRemote(endpoint: RemoteEndpoint, texts: Expander): RemoteEndpoint {
	const {tls, oauth} = endpoint;
	return {
		...endpoint,
		url: texts.complete(endpoint.url, {isSecret: false}),
		headers: mapValues(endpoint.headers, value => texts.complete(value, {isSecret: true})),
		tls: {
			verify: typeof tls.verify === 'string' ? texts.path(tls.verify) : tls.verify,
			...(tls.client && {client: expandClient(tls.client, texts)}),
		},
		...(oauth && {oauth: expandOauth(oauth, texts)}),
	};
}

const expandClient = (
	{cert, key, password}: NonNullable<RemoteEndpoint['tls']['client']>,
	texts: Expander,
) => ({
	cert: texts.path(cert),
	...(key !== undefined && {key: texts.path(key)}),
	...(password !== undefined && {password: texts.secret(password)}),
});

function expandOauth(oauth: JsonObject, texts: Expander): JsonObject {
	const expanded = mapTexts(oauth, (text, [key]) =>
		key === 'client_secret' ? texts.secret(text) : texts.plain(text),
	);
	return isJsonObject(expanded) ? expanded : {};
}

const mapValues = (
	values: Readonly<Record<string, string>>,
	change: (value: string) => string,
): Readonly<Record<string, string>> =>
	Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]));

/** Why an expanded server cannot be connected to. */
function problemWith(
	{endpoint}: ToolServerConfig,
	missing: string | undefined,
): string | undefined {
	if (missing !== undefined) {
		const variable = escapeLine(missing, maxVariableLength);
		return `\${${variable}} in url/headers is not set in this profile's .env or secret source`;
	}

	return endpoint.transport === 'stdio'
		? problemWithProgram(endpoint)
		: problemWithRemote(endpoint);
}

function problemWithProgram({command, args, env, sandbox}: StdioEndpoint): string | undefined {
	if (command.trim() === '') {
		return '"command" is empty once its variables are put in';
	}

	const paths = [...(sandbox?.read ?? []), ...(sandbox?.write ?? [])];
	const relative = paths.find(path => !path.startsWith('/'));
	if (relative !== undefined) {
		return `"${escapeLine(relative, maxVariableLength)}" in "sandbox" is no absolute path once its variables are put in`;
	}

	return [command, ...args, ...paths, ...Object.values(env)].some(text => text.includes('\0'))
		? 'a variable with a NUL stands in "command", "args", "env" or "sandbox"'
		: undefined;
}

function problemWithRemote({url, headers}: RemoteEndpoint): string | undefined {
	const ofUrl = problemWithUrl(url);
	if (ofUrl !== undefined) {
		return `"url" ${ofUrl}`;
	}

	const [first] = Object.entries(headers).flatMap(([name, value]) => {
		const problem = problemWithHeader(value);
		return problem === undefined ? [] : [`header "${name}" ${problem}`];
	});
	return first;
}
