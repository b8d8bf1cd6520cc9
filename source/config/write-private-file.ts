import {replaceFile} from '../core/line-file.ts';
import {refuseSymlink} from '../core/symlink-guard.ts';

/** Replaces a file as a whole, 0600 and synced. Follows a link to the file, as dotfile managers make them, where only this user can have made it. @throws SvcError `file_planted` */
export async function writePrivateFile(path: string, text: string | Buffer): Promise<void> {
	refuseSymlink(path);
	await replaceFile(path, text);
}
