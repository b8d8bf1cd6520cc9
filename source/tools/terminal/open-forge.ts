import {realpathSync, statSync} from 'node:fs';
import {basename, delimiter, dirname, join} from 'node:path';
import {insideFolder, insidePorts, socketFolder, type Egress} from '../sandbox/egress.ts';
import {isInside, systemFolders} from '../sandbox/places.ts';
import {isBind, type Mount, type SandboxPlan} from '../sandbox/plan.ts';
import {findProgram} from '../sandbox/system-world.ts';
import type {ToolsRun, ToolsWorld} from '../toolset.ts';

/**
 * Opens the broker for the repository of the run's event; it is closed with `stack`. Without a repository it refuses everything, and no token is requested.
 *
 * Rejects with the sentence of `forge.token`, or as `socketFolder` and `openForgeBroker` do.
 *
 * @see manual/sandbox-network.md#forge
 */
export async function openForge(
	{
		forge,
		profile,
		note,
		signal,
	}: Pick<ToolsRun, 'forge' | 'note' | 'signal'> & {
		readonly profile: Pick<ToolsRun['profile'], 'environment' | 'svcHome'>;
	},
	world: Pick<ToolsWorld, 'askCodeHost' | 'clock' | 'log' | 'secureContext'>,
	stack: AsyncDisposableStack,
): Promise<Egress> {
	const {host, repository, token} = forge;
	const {environment, svcHome} = profile;
	// First, because without a token nothing else needs to be opened.
	const secret = repository === undefined ? '' : await token();
	const [{openForgeBroker}, {createCodeHostConnections}] = await Promise.all([
		import('../forge-broker/broker.ts'),
		import('../forge-broker/code-host.ts'),
	]);
	const {secureContext, askCodeHost} = world;
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
			{...world, send: askCodeHost ?? connections.send},
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
		// Within a repository, `gh` would derive the host from remotes, which point to the broker and are unknown to it.
		env: {...env, ...(repository !== undefined && {GH_REPO: `${host}/${repository}`})},
	};
}

/** `gh` does not start without a token; the broker ignores it. */
const placeholder = 'placeholder-the-broker-has-the-token';

/**
 * The configuration of `gh` and git inside. `gh` uses the socket directly; git cannot, so uses `port` of 127.0.0.1, which the forwarder connects to the socket.
 *
 * @param place.socket path of the broker's socket inside
 * @param place.folder path of the configuration folder inside
 * @see manual/sandbox-network.md#forge
 */
export function forgeInside(
	host: string,
	{socket, folder, port}: {readonly socket: string; readonly folder: string; readonly port: number},
) {
	const local = `http://127.0.0.1:${port}/`;
	const settings = [
		...[`https://${host}/`, `http://${host}/`, `git@${host}:`, `ssh://git@${host}/`].map(url => [
			`url.${local}.insteadOf`,
			url,
		]),
		// The broker is reached directly, without the proxy.
		[`http.${local}.proxy`, ''],
		['credential.helper', ''],
	];
	return {
		files: {
			// Without a version, newer clients would try to migrate the folder, which is read-only.
			'config.yml': `version: "1"\nhttp_unix_socket: ${JSON.stringify(socket)}\ngit_protocol: https\nprompt: disabled\n`,
			'hosts.yml': `${JSON.stringify(host)}:\n  user: svc\n  oauth_token: ${placeholder}\n  git_protocol: https\n`,
		},
		environment: {
			GH_CONFIG_DIR: folder,
			GH_HOST: host,
			GH_PROMPT_DISABLED: '1',
			GH_NO_UPDATE_NOTIFIER: '1',
			GIT_TERMINAL_PROMPT: '0',
			GIT_CONFIG_COUNT: String(settings.length),
			...Object.fromEntries(
				settings.flatMap(([key = '', value = ''], index) => [
					[`GIT_CONFIG_KEY_${index}`, key],
					[`GIT_CONFIG_VALUE_${index}`, value],
				]),
			),
		},
	};
}

const programFolder = join(insideFolder, 'bin');

/** Adds the code host's client and git to the plan's PATH, those that come first on the gateway's PATH. */
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
		// Links to a program that is already visible: a mount onto a path that the sandbox may write to could be redirected.
		const isThere =
			systemFolders.some(folder => isInside(found, folder)) ||
			plan.mounts.some(mount => isBind(mount) && isInside(found, mount.path));
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

/** Git installed in a separate folder has most of its parts in programs beside it. */
function partsOfGit(program: string, found: string): readonly Mount[] {
	const folder = join(dirname(found), '../libexec/git-core');
	return program === 'git' && statSync(folder, {throwIfNoEntry: false})?.isDirectory()
		? [{kind: 'read', from: realpathSync(folder), path: folder}]
		: [];
}
