/** A browser whose person agrees to everything: goes where the URL leads. Argument: the URL. */
import {surf} from './surf.ts';

await surf(new URL(process.argv.at(-1) ?? ''));
