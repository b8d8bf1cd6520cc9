import {isJsonObject, type JsonValue} from '../core/json.ts';
import type {UnplacedDiagnostic} from './place-diagnostic.ts';
import {describeIssues} from './schema-issues.ts';
import {configSchema} from './schema.ts';
import {type SandboxConfig, sandboxedToolsets, type ToolsetsConfig} from './toolset-settings.ts';
import {absoluteFolder, type Homes, lieInEachOther, workdirOf} from './working-folders.ts';

/** Parses the whole file by its schema, and checks rules between its sections. */
export function parseConfig(value: JsonValue, homes: Homes) {
	const parsed = configSchema.safeParse(value);
	const findings = parsed.success
		? [...workdirProblems(parsed.data, homes), ...serverProblems(value, parsed.data, homes)]
		: describeIssues(parsed.error.issues, value);
	return parsed.success && findings.length === 0
		? {ok: true as const, parsed: parsed.data}
		: {ok: false as const, findings};
}

type ToolsConfig = {readonly toolsets: ToolsetsConfig; readonly sandbox: SandboxConfig};

/** A folder of a sandbox, and the path of its setting. */
type SandboxFolder = {
	readonly folder: string;
	/** Absent for a default folder. */
	readonly path?: UnplacedDiagnostic['path'];
	readonly of: string;
};

/**
 * Problems with writable folders, none of which may lie in another: a sandbox that may write the outer one could replace the inner one by a link, which the next sandbox
 * would follow. One finding for each working folder, or for the entry of `write` that overlaps a default one.
 */
function workdirProblems(parsed: ToolsConfig, homes: Homes): readonly UnplacedDiagnostic[] {
	const {workdirs, write: entries} = foldersOfTools(parsed, homes);
	const seen = new Set<string>();
	return workdirs.flatMap((workdir, index) => {
		// Several toolsets share the default folder: one finding is enough.
		if (seen.has(workdir.folder)) {
			return [];
		}

		seen.add(workdir.folder);
		const other = [...workdirs.slice(index + 1), ...entries].find(one =>
			lieInEachOther(workdir.folder, one.folder),
		);
		if (!other) {
			return [];
		}

		// A default cannot be corrected: the finding is at the other folder.
		const [wrong, kept] = workdir.path ? [workdir, other] : [other, workdir];
		return wrong.path
			? [
					{
						path: wrong.path,
						message: `"${wrong.folder}" and "${kept.folder}" (${kept.of}) lie in each other: use the same folder, or two that are apart`,
					},
				]
			: [];
	});
}

/** Problems with folders of the sandboxes of tool servers and of the tools: none may lie in a folder that another sandbox may write and where it could put a link. */
function serverProblems(
	value: JsonValue,
	parsed: ToolsConfig,
	homes: Homes,
): readonly UnplacedDiagnostic[] {
	const servers = isJsonObject(value) ? value['mcp_servers'] : undefined;
	const written = Object.entries(isJsonObject(servers) ? servers : {}).map(([name, entry]) => {
		const lists = isJsonObject(entry) ? entry['sandbox'] : undefined;
		const listed = (list: 'read' | 'write'): readonly SandboxFolder[] => {
			const paths = isJsonObject(lists) ? lists[list] : undefined;
			return (Array.isArray(paths) ? paths : []).flatMap((path, index) =>
				// Folders with references are not checked: their values are unknown here.
				typeof path === 'string' && /^[/~]/.test(path) && !path.includes('${')
					? [
							{
								folder: absoluteFolder(path, homes),
								of: `mcp_servers.${name}.sandbox.${list}`,
								path: ['mcp_servers', name, 'sandbox', list, index],
							},
						]
					: [],
			);
		};

		return {read: listed('read'), write: listed('write')};
	});
	if (written.length === 0) {
		return [];
	}

	const {workdirs, read, write} = foldersOfTools(parsed, homes);
	// Several toolsets share the default folder: one finding is enough.
	const ofTools = workdirs.filter(
		({folder, path}, index) =>
			path !== undefined || workdirs.findIndex(other => other.folder === folder) === index,
	);
	const sandboxes = [{read, write: [...ofTools, ...write]}, ...written];
	return sandboxes.flatMap((sandbox, index) =>
		[...sandbox.write, ...sandbox.read].flatMap(listed => {
			const outer = sandboxes
				.filter((_, other) => other !== index)
				.flatMap(other => other.write)
				.find(other => listed.folder.startsWith(`${other.folder}/`) && (listed.path ?? other.path));
			const path = listed.path ?? outer?.path;
			return outer && path
				? [
						{
							path,
							message: `"${listed.folder}" lies in "${outer.folder}" (${outer.of}), which another sandbox may write and could put a link into: list that folder, or one that is apart`,
						},
					]
				: [];
		}),
	);
}

/** The folders around which the sandboxes of the tools are built. */
function foldersOfTools({toolsets, sandbox}: ToolsConfig, homes: Homes) {
	const listed = (list: 'read' | 'write') =>
		sandbox[list].map((path, index): SandboxFolder => ({
			folder: absoluteFolder(path, homes),
			of: `sandbox.${list}`,
			path: ['sandbox', list, index],
		}));
	const workdirs = sandboxedToolsets.toReversed().map((name): SandboxFolder => {
		const {workdir} = toolsets[name];
		const of = `toolsets.${name}.workdir`;
		const folder = workdirOf(workdir, homes);
		return workdir === undefined ? {folder, of} : {folder, of, path: ['toolsets', name, 'workdir']};
	});
	return {workdirs, read: listed('read'), write: listed('write')};
}
