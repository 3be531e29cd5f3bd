/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frame of a page.  Nothing may be loaded, and of styles and scripts only
 * the two that the program brings along count, by their hashes: should markup
 * ever get in, it could not do anything.
 */
#include "report.h"

static char *hash(const char *text)
{
	g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
	g_autofree char *base64 = NULL;
	guint8 digest[32];
	gsize len = sizeof(digest);

	g_checksum_update(checksum, (const guchar *)text, -1);
	g_checksum_get_digest(checksum, digest, &len);
	base64 = g_base64_encode(digest, len);
	return g_strdup_printf("'sha256-%s'", base64);
}

char *page_policy(bool served)
{
	g_autofree char *style = hash(page_style);
	g_autofree char *script = hash(page_script);

	return g_strdup_printf("default-src 'none'; style-src %s; "
			       "script-src %s; img-src data:; "
			       "base-uri 'none'; %s", style, script, served ?
			       "connect-src 'self'; form-action 'self'; "
			       "frame-ancestors 'none'" :
			       "form-action 'none'");
}

static void write_head(struct report *report, const char *title)
{
	struct html *html = report->html;
	g_autofree char *policy = page_policy(false);

	html_open(html, "head", NULL);
	html_void(html, "meta", "charset", "utf-8", NULL);
	/* A served page has it in its header, where it can say more. */
	if (!report->served)
		html_void(html, "meta", "http-equiv", "Content-Security-Policy",
			  "content", policy, NULL);
	html_void(html, "meta", "name", "viewport", "content",
		  "width=device-width, initial-scale=1", NULL);
	html_void(html, "meta", "name", "color-scheme", "content",
		  "light dark", NULL);
	html_void(html, "meta", "name", "generator", "content",
		  "udpsim " PACKAGE_VERSION, NULL);
	html_element(html, "title", title);
	/* Or the browser would ask the server for one. */
	html_void(html, "link", "rel", "icon", "href", "data:,", NULL);
	html_open(html, "style", NULL);
	html_constant(html, page_style);
	html_close(html, "style");
	html_close(html, "head");
}

static void write_link(struct html *html, const char *address, const char *text)
{
	html_open(html, "a", "href", address, NULL);
	html_text(html, text);
	html_close(html, "a");
	html_text(html, " ");
}

static void write_nav(const struct report *report)
{
	struct html *html = report->html;

	html_open(html, "nav", "aria-label", "Pages", NULL);
	write_link(html, "/runs", "Runs");
	write_link(html, "/report", "Report of all");
	if (report->json)
		write_link(html, report->json, "This page as JSON");
	html_close(html, "nav");
}

void page_open(struct report *report, const char *title)
{
	struct html *html = report->html;

	html_open(html, "html", "lang", "en", NULL);
	write_head(report, title);
	html_open(html, "body", NULL);
	html_open(html, "a", "class", "skip", "href", "#main", NULL);
	html_text(html, "Skip to the content");
	html_close(html, "a");
	if (report->served)
		write_nav(report);
	html_open(html, "main", "id", "main", NULL);
	html_element(html, "h1", title);
}

void page_close(struct report *report)
{
	struct html *html = report->html;

	html_close(html, "main");
	html_open(html, "footer", NULL);
	html_open(html, "p", NULL);
	html_text(html, "Made by udpsim " PACKAGE_VERSION ".");
	html_close(html, "p");
	html_close(html, "footer");
	html_open(html, "script", NULL);
	html_constant(html, page_script);
	html_close(html, "script");
	html_close(html, "body");
	html_close(html, "html");
}
