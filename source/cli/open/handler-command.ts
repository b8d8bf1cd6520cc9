import {resolve} from 'node:path';
import {defaultProfile} from '../../config/home-paths.ts';
import {SvcError} from '../../core/errors.ts';
import {nodeFlags} from '../../core/node-flags.ts';
import type {Context} from '../console/context.ts';

/** How the desktop starts this very program; the link follows. */
export type HandlerCommand = {
	readonly argv: readonly string[];
	/** Variables that it needs, which desktops do not have. */
	readonly variables: Readonly<Record<string, string>>;
};

/**
 * What opens links of the home and the profile that `context` has now. What follows `--` is no option, whatever the link says.
 *
 * @throws SvcError `handler_unavailable` when a path of it holds a line break or another control, which no registration can hold
 */
export function handlerCommand(context: Context, script = process.argv[1] ?? ''): HandlerCommand {
	const {profile} = context.paths();
	const home = context.environment['SVC_HOME'] ?? '';
	const argv = [
		process.execPath,
		...nodeFlags,
		resolve(script),
		...(profile === defaultProfile ? [] : ['--profile', profile]),
		'open',
		'--hold',
		'--',
	];
	const variables: Readonly<Record<string, string>> = home === '' ? {} : {SVC_HOME: resolve(home)};
	const unfit = [...argv, ...Object.values(variables)].find(text => /\p{Cc}/u.test(text));
	if (unfit !== undefined) {
		throw new SvcError(
			'handler_unavailable',
			`Cannot register the svc:// scheme: the path ${JSON.stringify(unfit)} holds a control character`,
		);
	}

	return {argv, variables};
}
