import {removeToolServer, setToolServer} from '../../config/edit-servers.ts';
import {ensureHome} from '../../config/home-paths.ts';
import {inlineSecret} from '../../config/inline-secret.ts';
import {serverItem} from '../../config/invalid-server.ts';
import {loadConfig} from '../../config/load-config.ts';
import {mapTexts} from '../../config/plain-data.ts';
import {contextVariables, expandReferences} from '../../config/server-references.ts';
import {SvcError} from '../../core/errors.ts';
import type {JsonObject} from '../../core/json.ts';
import {asWord} from '../../core/shell-words.ts';
import {confirm} from '../console/ask-line.ts';
import type {Context} from '../console/context.ts';
import {tell, printResult} from '../console/print.ts';
import {readConfig} from '../home/receiver-facts.ts';
import {servingHome} from '../home/serving-home.ts';
import {serverNotFound} from './find-servers.ts';
import {serverEntryOf, type ServerOptions} from './server-options.ts';

/**
 * Adds a tool server to `config.yaml` with low trust: calls that may change something need approval. A running gateway connects to it.
 *
 * @throws SvcError `secret_inline`, and as `setToolServer` does
 */
export async function addServer(
	context: Context,
	{name, command}: {readonly name: string; readonly command: readonly string[]},
	options: ServerOptions,
): Promise<void> {
	const entry = serverEntryOf(options, command);
	const secret = inlineSecret(name, entry);
	const paths = context.paths();
	if (secret) {
		const {where, variable, instead} = secret;
		throw new SvcError(
			'secret_inline',
			`Not added: ${where} looks like a secret, which config.yaml is no place for; write ${variable}=… into "${paths.env}" and use '${instead}' instead`,
		);
	}

	await writeServer(context, {name, entry});
	printResult(context, {
		json: options.json,
		value: {name, ...entry},
		lines: [`Added ${name}`, ...nextSteps(name, entry)],
		notes: options.trust === undefined ? [untrusted] : [],
	});
}

const untrusted =
	'It is untrusted: a call of a tool that does not claim to only read asks a person first. "trust: full" in config.yaml, or --trust full, lets all of them run';

/** What to do after adding a tool server. */
export const nextSteps = (name: string, entry: JsonObject): readonly string[] => [
	...(entry['auth'] === 'oauth' ? [`Log in: svc mcp login ${asWord(name)}`] : []),
	`Try it: svc mcp test ${asWord(name)}`,
];

/** Writes a tool server into `config.yaml`; says what it lacks, and whether no gateway will connect to it. @throws SvcError as `setToolServer` does */
export async function writeServer(
	context: Context,
	server: {readonly name: string; readonly entry: JsonObject},
): Promise<void> {
	const paths = context.paths();
	ensureHome(paths);
	await setToolServer(paths, server, {clock: context.clock});
	sayUnset(context, server.entry);
	await sayNobodyConnects(context);
}

/** Says that no gateway reads this `config.yaml`, because another home's gateway serves the profile. */
async function sayNobodyConnects(context: Context): Promise<void> {
	const serving = await servingHome(context);
	if (serving) {
		tell(
			context,
			`Nobody connects to it: the gateway of "${serving.home}" serves this profile, with the tool servers of its own config.yaml`,
		);
	}
}

/** Names the entry's unset variables: without them the server cannot be connected to, or its program receives the placeholder. */
function sayUnset(context: Context, entry: JsonObject): void {
	const {env: file} = context.paths();
	const {environment, toolsets} = readConfig(context);
	const scope = {environment, context: contextVariables(environment, toolsets.terminal.workdir)};
	const unset = new Set<string>();
	mapTexts(entry, text => {
		for (const variable of expandReferences(text, scope).unset) {
			unset.add(variable);
		}

		return text;
	});
	if (unset.size > 0) {
		const names = [...unset].map(variable => `\${${variable}}`).join(', ');
		const them = unset.size === 1 ? 'it' : 'them';
		tell(context, `Not set yet: ${names}. Write ${them} into "${file}"`);
	}
}

/**
 * Removes a tool server from `config.yaml`, even a broken entry; a running gateway ends its connection. The server's standing approvals become void.
 *
 * @throws SvcError `server_not_found`, `confirmation_needed`, and as `editConfig` does
 */
export async function removeServer(
	context: Context,
	name: string,
	{yes, json}: {readonly yes?: boolean; readonly json?: boolean},
): Promise<void> {
	const paths = context.paths();
	const loaded = loadConfig({paths, environment: context.environment});
	const {config} = loaded.ok ? loaded : {config: undefined};
	if (config && !config.toolServers.has(name) && !config.itemErrors.has(serverItem(name))) {
		throw serverNotFound(context, name);
	}

	const question = `Remove tool server "${name}" with everything that is configured for it?`;
	if (!(await confirm(context, {question, leaves: `${name} stays`, yes}))) {
		return;
	}

	await removeToolServer(paths, name, {clock: context.clock});
	printResult(context, {json, value: {name, removed: true}, lines: [`Removed ${name}`]});
}
