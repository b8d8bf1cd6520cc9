import {existsSync} from 'node:fs';
import {basename} from 'node:path';
import {formatDiagnostic} from '../../../config/format-diagnostic.ts';
import type {Diagnostic} from '../../../core/config-view.ts';
import {type Check, type Found, ok, unread, warning} from './check.ts';

const maxShown = 30;

/** `config.yaml`, the dynamic routes and the jobs, as `svc config check` sees them. */
export const configuration: Check = {
	subject: 'config',
	look({paths, config, problems}) {
		const others = problems.filter(problem => !isAboutSecret(problem) && !isOf(problem, paths.env));
		if (others.length > 0) {
			return shown(others);
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
	look({paths, problems}) {
		const found = problems.filter(problem => isOf(problem, paths.env));
		if (found.length > 0) {
			return shown(found);
		}

		return ok(
			existsSync(paths.env)
				? `${paths.env} can be read`
				: 'there is none: variables come from the environment',
		);
	},
};

/** Secrets that are weak, missing, or references to variables that are not set. */
export const secrets: Check = {
	subject: 'secrets',
	look({config, problems}) {
		const found = shown(problems.filter(isAboutSecret));
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

function shown(problems: readonly Diagnostic[]): readonly Found[] {
	const lines = problems.slice(0, maxShown).map((problem): Found => ({
		health: problem.severity === 'error' ? 'failed' : 'warning',
		found: formatDiagnostic(problem),
		mend: `edit ${basename(problem.file)}, then: svc config check`,
	}));
	return problems.length > maxShown
		? [...lines, warning(`${problems.length - maxShown} more`, 'svc config check')]
		: lines;
}
