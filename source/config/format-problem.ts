import {basename} from 'node:path';
import type {Problem} from '../core/config-view.ts';

/** One line for a person: `config.yaml:12:5 platforms.webhook.rate_limitt: unknown key, did you mean "rate_limit"`. */
export function formatProblem({file, line, column, key, message}: Problem): string {
	const place = line > 0 ? `${basename(file)}:${line}:${column}` : basename(file);
	return key === '' ? `${place}: ${message}` : `${place} ${key}: ${message}`;
}
