import {mkdirSync, openSync, constants} from 'node:fs';
import {join} from 'node:path';
import type {HomePaths} from '../../config/config.ts';
import {ownFileFlags} from '../../core/planted-file.ts';

/**
 * Where a gateway without a terminal says what is not for its log. `flags`: whether it begins anew (`O_TRUNC`) or goes on (`O_APPEND`).
 *
 * @throws SvcError `file_planted`
 */
export function openOutput(
	{logs}: HomePaths,
	flags: number,
): {readonly path: string; readonly fd: number} {
	mkdirSync(logs, {recursive: true, mode: 0o700});
	const path = join(logs, 'gateway.out');
	const fd = openSync(
		path,
		constants.O_WRONLY | constants.O_CREAT | flags | ownFileFlags(path),
		0o600,
	);
	return {path, fd};
}
