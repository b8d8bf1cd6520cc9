import type {Clock} from '../core/clock.ts';
import {SvcError} from '../core/errors.ts';
import {isJsonObject, type JsonObject} from '../core/json.ts';
import {nearestName} from '../core/names.ts';
import {escapeLine} from '../core/untrusted.ts';
import type {HomePaths} from './config.ts';
import {editConfig, editConfigText, maxConfigBytes} from './edit-config.ts';
import type {UnplacedDiagnostic} from './place-diagnostic.ts';
import {asPlainData, plainAt} from './plain-data.ts';
import {describeIssues} from './schema-issues.ts';
import {configSchema} from './schema.ts';
import {readTextFile} from './text-files.ts';
import {parseYamlSource} from './yaml-source.ts';

const section = 'mcp_servers';
const maxNameLength = 200;

/**
 * Adds a tool server to `config.yaml`, keeping its comments and order; `entry` is the mapping below the server's name, with references unresolved. Writes nothing that the
 * loader would refuse.
 *
 * @throws SvcError `server_exists`, never overwritten; `server_invalid` naming the key, never its value; what `editConfig` throws
 * @see manual/tool-servers.md#settings
 */
export async function setToolServer(
	paths: HomePaths,
	{name, entry}: {readonly name: string; readonly entry: JsonObject},
	world: {readonly clock: Clock},
): Promise<void> {
	const change = (servers: JsonObject) => {
		if (Object.hasOwn(servers, name)) {
			throw new SvcError(
				'server_exists',
				`Cannot add tool server "${shown(name)}": there is one of that name; remove it first, or choose another name`,
			);
		}

		return entry;
	};

	await editServer(paths, {name, change}, world);
}

/**
 * Removes a tool server from `config.yaml`, keeping its comments and order. Also removes invalid ones.
 *
 * @throws SvcError `server_not_found`; what `editConfig` throws
 */
export async function removeToolServer(
	paths: HomePaths,
	name: string,
	world: {readonly clock: Clock},
): Promise<void> {
	const change = (servers: JsonObject) => {
		if (!Object.hasOwn(servers, name)) {
			const nearest = nearestName(name, Object.keys(servers));
			throw new SvcError(
				'server_not_found',
				`Cannot find tool server "${shown(name)}"${nearest === undefined ? ': see "svc mcp list"' : `, did you mean "${shown(nearest)}"`}`,
			);
		}

		return undefined;
	};

	await editServer(paths, {name, change}, world);
}

/** Sets the entry of a server to the result of `change`; `undefined` removes it. */
const editServer = async (
	paths: HomePaths,
	{
		name,
		change,
	}: {readonly name: string; readonly change: (servers: JsonObject) => JsonObject | undefined},
	{clock}: {readonly clock: Clock},
): Promise<void> =>
	editConfig(paths, written => [{path: [section, name], value: change(serversIn(written))}], {
		clock,
		check: createCheck(name),
	});

/**
 * Names of the tool servers in `config.yaml`, including invalid ones.
 *
 * @throws SvcError `config_broken`, `config_not_editable`, `file_too_large`, `file_unreadable`
 */
export function writtenServers({config}: Pick<HomePaths, 'config'>): ReadonlySet<string> {
	let names: readonly string[] = [];
	const collect = (written: unknown) => {
		names = Object.keys(serversIn(written));
		return [];
	};
	editConfigText(readTextFile(config, maxConfigBytes) ?? '', collect, config);
	return new Set(names);
}

const shown = (name: string): string => escapeLine(name, maxNameLength);

function serversIn(written: unknown): JsonObject {
	const servers = plainAt(written, [section]) ?? {};
	if (!isJsonObject(servers)) {
		throw new SvcError(
			'config_not_editable',
			`Cannot set a key below "${section}": it is not a mapping`,
		);
	}

	return servers;
}

/** Refuses an edit that adds an error. Errors that were there before do not block it: otherwise a broken file could not be mended. */
const createCheck = (name: string) => (text: string, before: string) => {
	const known = new Set(problemsIn(before).map(asText));
	const problem = problemsIn(text).find(found => !known.has(asText(found)));
	if (problem) {
		const [, , ...inside] = problem.path;
		const key = inside.length === 0 ? '' : ` "${shown(inside.join('.'))}"`;
		throw new SvcError(
			'server_invalid',
			`Cannot use tool server "${shown(name)}":${key} ${problem.message}`,
		);
	}
};

const asText = ({path, message}: UnplacedDiagnostic): string => JSON.stringify([path, message]);

/** The problems that the schema finds in a text; references are not checked. */
function problemsIn(text: string): readonly UnplacedDiagnostic[] {
	const data = asPlainData(parseYamlSource(text).value);
	if (!data.ok) {
		return [{path: data.path, message: data.message, at: 'value'}];
	}

	const value = data.value ?? {};
	return describeIssues(configSchema.safeParse(value).error?.issues ?? [], value);
}
