import {loadConfig} from '../../config/load-config.ts';
import {runningPid} from '../../gateway/control/lock.ts';
import type {Context} from '../console/context.ts';
import {contextAbove, findGateway} from './gateway-access.ts';

/** A home whose gateway also serves the context's profile. */
export type ServingHome = {
	readonly home: string;
	readonly profile: string;
	/** The process id of its gateway, which holds the profile now; absent if none runs, and only the configuration says so. */
	readonly pid?: number;
};

/**
 * The home whose gateway serves the context's profile, so that questions to the profile itself find nobody. `undefined` without a profile, while the profile's own
 * gateway runs, and if the home does not serve profiles. Never rejects, since it only provides advice.
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
		// A gateway that does not answer gives no information.
	}

	const loaded = loadConfig({paths: above.paths(), environment: context.environment});
	return loaded.ok && loaded.config.multiplexProfiles ? found : undefined;
}

/** A sentence without its end: who serves the profile, and how to ask there. */
export const servedThere = ({home, profile, pid}: ServingHome): string =>
	`the gateway of "${home}"${pid === undefined ? '' : ` (process ${pid})`} serves profile "${profile}"${pid === undefined ? ' when it runs' : ''}: leave out "-p ${profile}"`;

/** A warning about route `name` in the files of a profile that another home serves: no gateway reads them. */
export const servedByNobody = (name: string, {home, profile}: ServingHome): string =>
	`Route "${name}" is served by nobody: the gateway of "${home}" serves the routes of this profile; use "svc webhook subscribe ${name} --route-profile ${profile}" without "-p ${profile}"`;
