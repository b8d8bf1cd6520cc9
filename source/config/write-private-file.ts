import writeFileAtomic from 'write-file-atomic';
import {refusePlanted} from '../core/planted-file.ts';

/** Replaces a file as a whole: written under another name with 0600, synced, renamed. Follows a link to the file, as dotfile managers make them, where only this user can have made it. @throws SvcError `file_planted` */
export async function writePrivateFile(path: string, text: string | Buffer): Promise<void> {
	refusePlanted(path);
	await writeFileAtomic(path, text, {mode: 0o600, fsync: true, encoding: 'utf8'});
}
