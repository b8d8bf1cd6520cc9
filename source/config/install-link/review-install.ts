import {SvcError} from '../../core/errors.ts';
import type {InstallReview} from '../../core/install.ts';
import {isJsonObject, type JsonObject} from '../../core/json.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {configSchemaJson} from '../config-schema-json.ts';
import {describeIssues, findUnknownKeys} from '../schema-issues.ts';
import {toolServersSchema} from '../tool-server-schema.ts';
import {cautionsOf} from './cautions.ts';
import {isLinkName, readInstallLink, requireLinkName} from './read-link.ts';

/** Choices of the person beside the link. */
export type InstallChoice = {
	/** Another name than that of the link. */
	readonly name?: string | undefined;
	readonly trust?: 'full' | 'untrusted' | undefined;
};

const maxName = 64;

/**
 * Describes the effect of installing the tool server of a link. The `trust` of the link is ignored and unknown keys are left out; cautions say so. Writes nothing, connects
 * to nothing.
 *
 * @param names of the tool servers that are there
 * @throws SvcError as `readInstallLink` does; `invalid_name` for a chosen name; `server_invalid` naming the key, never its value
 */
export function reviewInstall(
	link: string,
	{name: chosen, trust = 'untrusted'}: InstallChoice,
	names: ReadonlySet<string>,
): InstallReview {
	const {name: linkName, config, ignored} = readInstallLink(link);
	const name = chosen ?? linkName;
	requireLinkName(name);
	const {trust: linkTrust, ...written} = config;
	const unknown = unknownKeys(written);
	const entry = {...without(written, unknown), trust};
	const server = checkedServer(name, entry);
	const exists = names.has(name);
	const freeName = exists ? freeNameFor(name, names) : undefined;
	const {command, args, url} = server;
	const argv = typeof command === 'string' ? [command, ...(args ?? [])] : undefined;
	const host = typeof url === 'string' ? hostOf(url) : undefined;
	return {
		name,
		linkName,
		kind: argv ? 'program' : 'remote',
		...(argv && {argv}),
		...(host !== undefined && {host}),
		entry,
		cautions: cautionsOf({
			name,
			entry,
			argv,
			host,
			linkTrust,
			unknown,
			ignored,
		}),
		exists,
		...(freeName !== undefined && {freeName}),
	};
}

function checkedServer(name: string, entry: JsonObject) {
	const servers = {[name]: entry};
	const parsed = toolServersSchema.safeParse(servers);
	// The contract allows the name `__proto__`, which in JavaScript every object has: no entry is found under it.
	const server = Object.entries(parsed.data ?? {}).find(([key]) => key === name)?.[1];
	if (!server) {
		const [problem] = describeIssues(parsed.error?.issues ?? [], servers);
		const [, ...inside] = problem?.path ?? [];
		const key = inside.length === 0 ? '' : ` "${escapeLine(inside.join('.'), 200)}"`;
		throw new SvcError(
			'server_invalid',
			`Cannot use the install link:${key} ${problem?.message ?? 'is not valid'}`,
		);
	}

	return server;
}

/** The host of a URL in the form used for requests: non-ASCII names in `xn--` form. With references it stays as written. */
function hostOf(url: string): string {
	const [, authority = ''] = /^https?:\/\/([^/?#\\]*)/i.exec(url) ?? [];
	return authority.includes('$') ? authority : (URL.parse(url)?.host ?? authority);
}

/** Paths of keys that the loader would warn about. Free names (of variables, of headers) are not among them. */
function unknownKeys(entry: JsonObject): ReadonlyArray<readonly string[]> {
	const value = {mcp_servers: {link: entry}};
	return findUnknownKeys(value, configSchemaJson()).map(({path}) => path.slice(2).map(String));
}

function without(entry: JsonObject, paths: ReadonlyArray<readonly string[]>): JsonObject {
	const drop = (value: JsonObject, path: readonly string[]): JsonObject =>
		Object.fromEntries(
			Object.entries(value).flatMap(([key, member]) => {
				const place = [...path, key];
				const isDropped = paths.some(
					other => other.length === place.length && other.every((part, at) => part === place[at]),
				);
				return isDropped ? [] : [[key, isJsonObject(member) ? drop(member, place) : member]];
			}),
		);
	return drop(entry, []);
}

/** A free name: `crm-2`, `crm-3`…; a long name is cut. */
function freeNameFor(name: string, names: ReadonlySet<string>): string | undefined {
	for (let number = 2; number <= names.size + 2; number += 1) {
		const end = `-${number}`;
		const candidate = name.slice(0, maxName - end.length) + end;
		if (!names.has(candidate) && isLinkName(candidate)) {
			return candidate;
		}
	}

	return undefined;
}
