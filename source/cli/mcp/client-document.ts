import {SvcError} from '../../core/errors.ts';
import {declaredClient} from '../../mcp/logins/declared-client.ts';
import {isClientDocumentUrl} from '../../mcp/oauth/client-document.ts';
import type {Context} from '../console/context.ts';
import {printJson} from '../console/print.ts';

/** Prints the client metadata document to host at `url`. @throws SvcError `client_document_url_invalid` */
export function printClientDocument(context: Context, {url}: {readonly url: string}): void {
	if (!isClientDocumentUrl(url)) {
		throw new SvcError(
			'client_document_url_invalid',
			`Cannot use "${url}" as the address of a client metadata document: it must be an https:// URL with a path, without a fragment, a user name and the segments "." and ".."`,
		);
	}

	printJson(context, declaredClient(url));
}
