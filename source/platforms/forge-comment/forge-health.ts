import type {GroupExit} from '../../core/process-group.ts';
import type {SenderWorld, TargetHealth} from '../target-kind.ts';
import {failureOfClient, isLoggedOut} from './forge-failure.ts';

/** The health of the code host's client, by its answers to `--version` and `auth status`. Pure. */
export function healthOfClient(
	cli: string,
	{version, login}: Readonly<Record<'login' | 'version', GroupExit>>,
	clean: SenderWorld['clean'],
): TargetHealth {
	if (login.kind === 'not-started') {
		return {
			health: 'failed',
			found: clean(failureOfClient(login, cli).reason),
			mend: 'install it, or set forge.cli in config.yaml to the one that is there',
		};
	}

	const name = clean(nameOf(cli, version));
	if (login.kind !== 'exited') {
		return {
			health: 'warning',
			found: `${name} did not say in time whether it is logged in`,
			mend: `${cli} auth status`,
		};
	}

	if (isLoggedOut(login)) {
		return {
			health: 'failed',
			found: `${name} is not logged in`,
			mend: `${cli} auth login, or set GH_TOKEN in .env`,
		};
	}

	return login.code === 0
		? {health: 'ok', found: `${name} is logged in`}
		: {
				health: 'warning',
				found: clean(`${name}: ${failureOfClient(login, cli).reason}`),
				mend: `${cli} auth status`,
			};
}

/** `gh version 2.63.0 (2024-11-27)`; its name in quotes where it does not say. */
function nameOf(cli: string, version: GroupExit): string {
	const [said = ''] = version.kind === 'exited' ? version.stdout.trim().split('\n') : [];
	return said === '' ? `"${cli}"` : said;
}
