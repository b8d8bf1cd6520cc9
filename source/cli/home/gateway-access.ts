import {existsSync} from 'node:fs';
import {basePaths} from '../../config/home-paths.ts';
import {codeOf} from '../../core/errors.ts';
import type {GatewayCommands, GatewayPort} from '../../gateway/port.ts';
import type {Context} from '../console/context.ts';

/** The context of the home above, which may serve this profile; `undefined` without a profile. */
export function contextAbove(context: Context): Context | undefined {
	const base = basePaths(context.paths());
	return base && {...context, paths: () => base};
}

/** The context of the home above, if it serves this profile. Loads nothing if there is no profile. */
export async function servingContext(context: Context): Promise<Context | undefined> {
	const above = contextAbove(context);
	const serving = above && (await (await import('./serving-home.ts')).servingHome(context));
	return serving && above;
}

/** The advice when no gateway runs for the context's home: name the home above that serves its profile, else add `advice`. */
export async function noGateway(context: Context, advice = ''): Promise<string> {
	const {home} = context.paths();
	const {servingHome, servedThere} = contextAbove(context) ? await import('./serving-home.ts') : {};
	const serving = await servingHome?.(context);
	return serving && servedThere
		? `No gateway runs for "${home}" itself: ${servedThere(serving)}`
		: `No gateway runs for "${home}"${advice}`;
}

/** The commands of the gateway running for the context's home; `undefined` if none runs. @throws SvcError when it does not answer */
export async function findGateway(context: Context): Promise<GatewayCommands | undefined> {
	const [{createControlCalls}, {askForStatus}] = await Promise.all([
		import('../../gateway/control/control-calls.ts'),
		import('../../gateway/control/control-client.ts'),
	]);
	return ifRunning(context, async socket => {
		await askForStatus(socket).catch((error: unknown) => {
			// The gateway exists, and can still be stopped; other requests fail on their own.
			if (codeOf(error) !== 'program_replaced') {
				throw error;
			}
		});
		return createControlCalls(socket);
	});
}

/** A gateway that serves a profile, and its name for that profile. */
export type ServingGateway = {readonly gateway: GatewayCommands; readonly profile: string};

/** The gateway of the context's profile, else that of the home above if any item it lists belongs to the profile; `undefined` if neither exists. */
export async function findServingGateway(
	context: Context,
	list: (gateway: GatewayCommands) => Promise<ReadonlyArray<{readonly profile: string}>>,
): Promise<ServingGateway | undefined> {
	const own = await findGateway(context);
	if (own) {
		return {gateway: own, profile: 'default'};
	}

	const above = contextAbove(context);
	const gateway = above && (await findGateway(above));
	const {profile} = context.paths();
	return gateway && (await list(gateway)).some(one => one.profile === profile)
		? {gateway, profile}
		: undefined;
}

/** The gateway that serves the context's profile. @throws SvcError `gateway_not_running` */
export const requireServingGateway: (
	...asked: Parameters<typeof findServingGateway>
) => Promise<ServingGateway> = async (context, list) =>
	(await findServingGateway(context, list)) ?? {
		gateway: await requireGateway(context),
		profile: 'default',
	};

/** Attaches a face to the gateway running for the context's home, with its state and events. The caller must dispose of it. */
export async function attachGateway(context: Context): Promise<GatewayPort | undefined> {
	return ifRunning(context, async socket => {
		const {connectGateway} = await import('../../gateway/control/remote-port.ts');
		return connectGateway(context, {socket});
	});
}

/**
 * Attaches to the gateway that serves the context's profile. The caller disposes of `port`.
 * @throws SvcError `gateway_not_running`
 */
export async function attachServing(context: Context): Promise<ServingPort> {
	const own = await attachGateway(context);
	if (own) {
		return {port: own, profile: 'default', at: context};
	}

	const at = contextAbove(context) ?? context;
	const port = at === context ? undefined : await attachGateway(at);
	return {port: port ?? (await notRunning(context)), profile: context.paths().profile, at};
}

export type ServingPort = {
	readonly port: GatewayPort;
	readonly profile: string;
	/** The context of that gateway, for other commands. */
	readonly at: Context;
};

/** The result of `reach` on the control socket; `undefined` if no process listens on it. */
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

/** The gateway as a port for acts, which needs no disposal. */
export const gatewayAsPort = async (
	context: Context,
): Promise<GatewayCommands & AsyncDisposable> => ({
	...(await requireGateway(context)),
	async [Symbol.asyncDispose]() {},
});

/** @throws SvcError `gateway_not_running` with what to do */
export async function notRunning(context: Context): Promise<never> {
	const {SvcError} = await import('../../core/errors.ts');
	throw new SvcError(
		'gateway_not_running',
		await noGateway(context, ': start it with "svc", "svc gateway" or "svc gateway run"'),
	);
}
