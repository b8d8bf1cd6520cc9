import {existsSync} from 'node:fs';
import {basename, isAbsolute} from 'node:path';
import {formatDiagnostic} from '../../../config/format-diagnostic.ts';
import {parseSubscriptions} from '../../../config/subscriptions.ts';
import type {Diagnostic} from '../../../core/config-view.ts';
import {asWord} from '../../../core/shell-words.ts';
import {type Check, type DoctorWorld, type CheckResult, ok, unread, warning} from './check.ts';

const maxShown = 30;

/** `config.yaml`, the dynamic routes and the jobs, as `svc config check` judges them. */
export const configuration: Check = {
	subject: 'config',
	look(world) {
		const {paths, config, problems} = world;
		const others = problems.filter(problem => !isAboutSecret(problem) && !isOf(problem, paths.env));
		if (others.length > 0) {
			return shown(others, world);
		}

		return config?.exists === false
			? warning(
					`${paths.config} is not there: the defaults apply, and nothing is received`,
					'svc gateway setup',
				)
			: ok(`${paths.config} is valid`);
	},
};

/** The `.env` of the profile. */
export const environmentFile: Check = {
	subject: '.env',
	look(world) {
		const {paths, problems} = world;
		const found = problems.filter(problem => isOf(problem, paths.env));
		if (found.length > 0) {
			return shown(found, world);
		}

		return ok(
			existsSync(paths.env)
				? `${paths.env} can be read`
				: 'there is none: variables come from the environment',
		);
	},
};

/** Secrets that are weak, missing, or references to unset variables. */
export const secrets: Check = {
	subject: 'secrets',
	look(world) {
		const {config, problems} = world;
		const found = shown(problems.filter(isAboutSecret), world);
		if (!config) {
			return [...found, unread];
		}

		const open = [...config.webhook.routes.values()].filter(({insecure}) => insecure);
		return [
			...found,
			...open
				.slice(0, maxShown)
				.map(({name}) =>
					warning(
						`route "${name}" takes events that nobody signed (INSECURE_NO_AUTH)`,
						'secret: ${A_SECRET} in its entry in config.yaml',
					),
				),
			...(found.length + open.length === 0 ? [ok('none is missing, none is short')] : []),
		];
	},
};

const isOf = ({file}: Diagnostic, path: string): boolean => file === path;

const isAboutSecret = ({key, message}: Diagnostic): boolean =>
	/secret|\$\{/i.test(`${key} ${message}`);

/** Rows of the database are unreadable, or a secret in them is. */
const isOfStore = ({file, key, message}: Diagnostic, {paths}: DoctorWorld): boolean =>
	paths.shared !== undefined &&
	!isAbsolute(file) &&
	(key === '' || message.includes('gateway.store_key'));

/** The remedy; entries of a database cannot be edited in a file, so their command is named. */
function mendOf({file, key}: Diagnostic, {paths, config}: DoctorWorld): string {
	const {shared} = paths;
	if (!shared || isAbsolute(file)) {
		return `edit ${basename(file)}, then: svc config check`;
	}

	const {subscriptions} = shared;
	if (file === subscriptions.name) {
		const names = key === '' ? {} : parseSubscriptions(subscriptions.read() ?? '', file);
		// A route's name may contain dots.
		const name = Object.keys(names).find(one => key === one || key.startsWith(`${one}.`));
		return name === undefined ? 'svc webhook list' : `svc webhook edit ${asWord(name)}`;
	}

	const owner = config?.profiles.others.find(({name}) => shared.of(name).jobs.name === file);
	const cron = owner ? `svc -p ${owner.name} cron` : 'svc cron';
	return key === '' || key.startsWith('#') ? `${cron} list` : `${cron} edit ${asWord(key)}`;
}

function shown(problems: readonly Diagnostic[], world: DoctorWorld): readonly CheckResult[] {
	const lines = problems.slice(0, maxShown).map((problem): CheckResult => ({
		health: problem.severity === 'error' ? 'failed' : 'warning',
		found: formatDiagnostic(problem),
		mend: mendOf(problem, world),
		...(isOfStore(problem, world) && {ofStore: true}),
	}));
	return problems.length > maxShown
		? [...lines, warning(`${problems.length - maxShown} more`, 'svc config check')]
		: lines;
}
