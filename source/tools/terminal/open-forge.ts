import {realpathSync, statSync} from 'node:fs';
import {basename, delimiter, dirname, join} from 'node:path';
import {insideFolder, insidePorts, socketFolder, type Egress} from '../sandbox/egress.ts';
import {isInside, systemFolders} from '../sandbox/places.ts';
import type {Mount, SandboxPlan} from '../sandbox/plan.ts';
import {findProgram} from '../sandbox/system-world.ts';
import type {ToolsRun, ToolsWorld} from '../toolset.ts';

/**
 * Opens the broker that reads the repository of the run's event. It ends with `stack`. Without a repository the broker refuses everything, and no token is asked for.
 *
 * Rejects with the sentence of `forge.token`, or as `socketFolder` and `openForgeBroker` do.
 *
 * @see manual/sandbox-network.md#forge
 */
export async function openForge(
	{
		forge: {host, repository, token},
		profile: {environment, svcHome},
		note,
		signal,
	}: Pick<ToolsRun, 'forge' | 'note' | 'signal'> & {
		readonly profile: Pick<ToolsRun['profile'], 'environment' | 'svcHome'>;
	},
	{
		clock,
		log,
		secureContext,
		askCodeHost,
	}: Pick<ToolsWorld, 'askCodeHost' | 'clock' | 'log' | 'secureContext'>,
	stack: AsyncDisposableStack,
): Promise<Egress> {
	// First: where the client is logged out, nothing else is opened.
	const secret = repository === undefined ? '' : await token();
	const [{openForgeBroker}, {createCodeHostConnections}, {forgeInside}] = await Promise.all([
		import('../forge-broker/broker.ts'),
		import('../forge-broker/code-host.ts'),
		import('../forge-broker/inside.ts'),
	]);
	const connections = stack.use(createCodeHostConnections({environment, secureContext}));
	const [owner, name] = repository?.split('/') ?? [];
	const {socket: outside} = stack.use(
		await openForgeBroker(
			{
				folder: socketFolder(svcHome, stack),
				...(owner !== undefined && name !== undefined && {repository: {host, owner, name}}),
				token: secret,
				signal,
				onRefused({method, path, reason}) {
					note(`The broker of the forge did not send "${method} ${path}": ${reason}`);
				},
			},
			{clock, log, send: askCodeHost ?? connections.send},
		),
	);
	const inside = join(insideFolder, 'forge.sock');
	const folder = join(insideFolder, 'forge');
	const port = insidePorts.forge;
	const {files, environment: env} = forgeInside(host, {socket: inside, folder, port});
	return {
		socket: {outside, inside},
		port,
		mounts: Object.entries(files).map(([file, text]) => ({
			kind: 'text',
			text,
			path: join(folder, file),
		})),
		// In a repository the client would look at addresses that lead to the broker, and know none of them.
		env: {...env, ...(repository !== undefined && {GH_REPO: `${host}/${repository}`})},
	};
}

const programFolder = join(insideFolder, 'bin');

/** The plan with the client of the code host and git on its PATH, as they stand first on the PATH of the gateway. */
export function withForgePrograms(
	plan: SandboxPlan,
	{forge: {cli}, profile: {environment}}: ToolsRun,
): SandboxPlan {
	const mounts = [cli, 'git'].flatMap((program): readonly Mount[] => {
		const found = findProgram(program, environment['PATH'] ?? '');
		if (found === undefined) {
			return [];
		}

		const path = join(programFolder, basename(program));
		// Already visible inside: link to it. A mount onto a path that the sandbox may write could be redirected.
		const isThere =
			systemFolders.some(folder => isInside(found, folder)) ||
			plan.mounts.some(
				mount => (mount.kind === 'read' || mount.kind === 'write') && isInside(found, mount.path),
			);
		return isThere
			? [{kind: 'link', to: found, path}]
			: [{kind: 'read', from: found, path}, ...partsOfGit(program, found)];
	});
	return {
		...plan,
		mounts: [...plan.mounts, ...mounts],
		env: {...plan.env, PATH: [programFolder, plan.env['PATH'] ?? ''].join(delimiter)},
	};
}

/** Git of a folder of its own keeps most of itself in programs beside it. */
function partsOfGit(program: string, found: string): readonly Mount[] {
	const folder = join(dirname(found), '../libexec/git-core');
	return program === 'git' && statSync(folder, {throwIfNoEntry: false})?.isDirectory()
		? [{kind: 'read', from: realpathSync(folder), path: folder}]
		: [];
}
