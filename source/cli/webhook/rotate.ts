import {rotateRouteSecret} from '../../config/rotate-route.ts';
import {warningOnSecrets} from '../../config/weak-secrets.ts';
import {printableTime} from '../../terminal/text/time.ts';
import type {Context} from '../console/context.ts';
import {printJson, printLines, tell} from '../console/print.ts';
import {readConfig} from '../home/receiver-facts.ts';
import {readRoutes} from './read-routes.ts';

/** Flags of `svc webhook rotate`. */
export type RotateOptions = {
	/** Milliseconds. */
	readonly overlap: number;
	readonly secret?: string;
	readonly json?: boolean;
};

/** Gives a route a new secret and prints it, this once; says until when the old one passes. @throws SvcError `route_not_found`, `rotation_refused`, … */
export async function rotate(
	context: Context,
	name: string,
	{overlap, secret, json}: RotateOptions,
): Promise<void> {
	const config = readConfig(context);
	const rotated = await rotateRouteSecret(config, name, {
		...(secret !== undefined && {secret}),
		overlapMs: overlap,
		clock: context.clock,
	});
	const weak = secret === undefined ? undefined : warningOnSecrets([secret]);
	if (weak !== undefined) {
		tell(context, weak);
	}

	if (json) {
		const until = rotated.kept === 0 ? null : new Date(rotated.until).toISOString();
		printJson(context, {name, ...rotated, until});
	} else {
		printLines(context, [
			`Rotated ${name}`,
			`secret  ${rotated.secret}   (shown once)`,
			rotated.kept === 0
				? 'The old secret does not pass any more'
				: `The old secret passes until ${printableTime(rotated.until)}: give the sender the new one before`,
		]);
	}

	if (!readRoutes(context, readConfig(context)).routes.has(name)) {
		tell(context, `Route "${name}" is not served: see "svc webhook list"`);
	}
}
