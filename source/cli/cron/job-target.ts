import {loadConfig} from '../../config/load-config.ts';
import {problemWithPlatform} from '../../config/platform-problem.ts';
import type {Context} from '../console/context.ts';
import {servingContext} from '../home/gateway-access.ts';

/**
 * Tells of targets of jobs why answers would not arrive, by the configuration of the gateway that fires the jobs of the context's profile. Where that cannot be used, nothing is
 * known of them: jobs are made without it.
 */
export async function readPlatformProblems(
	context: Context,
): Promise<(deliver: string) => string | undefined> {
	const at = (await servingContext(context)) ?? context;
	const loaded = loadConfig({paths: at.paths(), environment: context.environment});
	return deliver => (loaded.ok ? problemWithPlatform(deliver, loaded.config) : undefined);
}
