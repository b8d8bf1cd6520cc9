import {existsSync} from 'node:fs';
import {basePaths} from '../../config/home-paths.ts';
import type {GatewayCommands, GatewayPort} from '../../gateway/port.ts';
import type {Context} from '../console/context.ts';

/** Why a profile has no gateway of its own: the home above serves it. Without a profile nothing is loaded for it. */
async function whoServes(context: Context): Promise<string | undefined> {
	const {home, profile} = context.paths();
	if (profile === 'default') {
		return undefined;
	}

	const {servedThere, servingHome} = await import('./serving-home.ts');
	const serving = await servingHome(context);
	return serving && `No gateway runs for "${home}" itself: ${servedThere(serving)}`;
}

/** What to say when no gateway runs for the context's home: who serves its profile, if somebody does, else what `advice` adds. */
export const noGateway = async (context: Context, advice = ''): Promise<string> =>
	(await whoServes(context)) ?? `No gateway runs for "${context.paths().home}"${advice}`;

/** Commands for the gateway that runs for the context's home, `undefined` when none does. @throws SvcError when it does not answer */
export async function findGateway(context: Context): Promise<GatewayCommands | undefined> {
	const [{createControlCalls}, {askForStatus}] = await Promise.all([
		import('../../gateway/control/control-calls.ts'),
		import('../../gateway/control/control-client.ts'),
	]);
	return ifRunning(context, async socket => {
		await askForStatus(socket);
		return createControlCalls(socket);
	});
}

/** A gateway that serves a profile, and what it calls that profile. */
export type ServingGateway = {readonly gateway: GatewayCommands; readonly profile: string};

/** The gateway of the context's profile, else that of the home above when something that it lists is of the profile; `undefined` when neither. */
export async function findServingGateway(
	context: Context,
	list: (gateway: GatewayCommands) => Promise<ReadonlyArray<{readonly profile: string}>>,
): Promise<ServingGateway | undefined> {
	const own = await findGateway(context);
	if (own) {
		return {gateway: own, profile: 'default'};
	}

	const paths = context.paths();
	const base = basePaths(paths);
	const gateway = base && (await findGateway({...context, paths: () => base}));
	const {profile} = paths;
	return gateway && (await list(gateway)).some(one => one.profile === profile)
		? {gateway, profile}
		: undefined;
}

/** The gateway that runs for the context's home with its state and its events, for a face. The caller leaves by disposing of it. */
export async function attachGateway(context: Context): Promise<GatewayPort | undefined> {
	return ifRunning(context, async socket => {
		const {connectGateway} = await import('../../gateway/control/remote-port.ts');
		return connectGateway(context, {socket});
	});
}

/**
 * The gateway that serves the context's profile, with its state. The caller disposes of `port`.
 * @throws SvcError `gateway_not_running`
 */
export async function attachServing(context: Context): Promise<ServingPort> {
	const own = await attachGateway(context);
	if (own) {
		return {port: own, profile: 'default', at: context};
	}

	const paths = context.paths();
	const base = basePaths(paths);
	const at = base && {...context, paths: () => base};
	const port = at && (await attachGateway(at));
	return {port: port ?? (await notRunning(context)), profile: paths.profile, at: at ?? context};
}

export type ServingPort = {
	readonly port: GatewayPort;
	readonly profile: string;
	/** The context of that gateway, for other commands. */
	readonly at: Context;
};

/** What `reach` makes of the control socket; `undefined` when nobody listens on it. */
async function ifRunning<Reached>(
	context: Context,
	reach: (socket: string) => Promise<Reached>,
): Promise<Reached | undefined> {
	const {socket} = context.paths();
	if (!existsSync(socket)) {
		return undefined;
	}

	const {isNoGateway, isSilentGateway} = await import('../../gateway/control/control-client.ts');
	try {
		return await reach(socket);
	} catch (error) {
		if (isNoGateway(error)) {
			return undefined;
		}

		if (!isSilentGateway(error)) {
			throw error;
		}

		const [{messageOf, SvcError}, {runningPid}] = await Promise.all([
			import('../../core/errors.ts'),
			import('../../gateway/control/lock.ts'),
		]);
		throw new SvcError(
			'gateway_silent',
			`${messageOf(error)}: process ${runningPid(context.paths()) ?? '(unknown)'} runs for this home`,
			{cause: error},
		);
	}
}

/** The gateway that runs for the context's home. @throws SvcError `gateway_not_running` with what to do */
export async function requireGateway(context: Context): Promise<GatewayCommands> {
	return (await findGateway(context)) ?? notRunning(context);
}

async function notRunning(context: Context): Promise<never> {
	const {SvcError} = await import('../../core/errors.ts');
	throw new SvcError(
		'gateway_not_running',
		await noGateway(context, ': start it with "svc", "svc gateway" or "svc gateway run"'),
	);
}
