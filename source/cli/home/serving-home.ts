import {loadConfig} from '../../config/load-config.ts';
import {runningPid} from '../../gateway/control/lock.ts';
import type {Context} from '../console/context.ts';
import {contextAbove, findGateway} from './gateway-access.ts';

/** The home whose gateway serves the profile of a context too. */
export type ServingHome = {
	readonly home: string;
	readonly profile: string;
	/** Of its gateway, which holds the profile now; absent when none runs, and the configuration says so. */
	readonly pid?: number;
};

/**
 * The home whose gateway serves the context's profile: what is asked of the profile itself is asked of nobody. `undefined` without a profile, while a gateway
 * of its own runs, and when the home does not serve profiles. Never rejects: it is there to give advice.
 */
export async function servingHome(context: Context): Promise<ServingHome | undefined> {
	const paths = context.paths();
	const above = contextAbove(context);
	if (!above) {
		return undefined;
	}

	const found = {home: above.paths().home, profile: paths.profile};
	try {
		const status = await (await findGateway(above))?.status();
		if (status && status.pid === runningPid(paths)) {
			return {...found, pid: status.pid};
		}

		if (await findGateway(context)) {
			return undefined;
		}
	} catch {
		// One that does not answer tells nothing.
	}

	const loaded = loadConfig({paths: above.paths(), environment: context.environment});
	return loaded.ok && loaded.config.multiplexProfiles ? found : undefined;
}

/** One sentence without its end: who serves the profile, and how it is asked. */
export const servedThere = ({home, profile, pid}: ServingHome): string =>
	`the gateway of "${home}"${pid === undefined ? '' : ` (process ${pid})`} serves profile "${profile}"${pid === undefined ? ' when it runs' : ''}: leave out "-p ${profile}"`;

/** A complaint about route `name` in the files of a profile that another home serves: no gateway reads them. */
export const servedByNobody = (name: string, {home, profile}: ServingHome): string =>
	`Route "${name}" is served by nobody: the gateway of "${home}" serves the routes of this profile; use "svc webhook subscribe ${name} --route-profile ${profile}" without "-p ${profile}"`;
